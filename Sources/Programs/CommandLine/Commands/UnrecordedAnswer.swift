import DeviceCore
import LocalStore
import Model

/// What the server said of an alert that is saved, where the store cannot be written any more and so cannot keep the answer.
enum UnrecordedAnswer {
  /// Asks once more, under the ids that are queued: of the call, or of all alerts, where one was ended. True where the server has it,
  /// and that was told.
  ///
  /// - Parameter storeError: why the store took no answer, where that is known; else it is tried with a short one.
  static func tell(
    _ store: LocalStore, _ alertID: AlertID, _ notice: Notice, storeError: LocalStoreError?, _ context: Context
  ) -> Bool {
    guard let error = storeError ?? errorOfWriting(to: store) else { return false }
    // What cannot be read cannot be sent either: it is then told as not sent.
    let moment = DeviceClock.now()
    guard let queued = try? EmergencyMessage.queued(store, at: moment) else { return false }
    let messages = notice == .activated ? queued.filter { $0.alert.id == alertID } : queued
    return UnsavedAlert(store.home, context)?.sendQueued(messages, notice, at: moment, because: error.message) ?? false
  }

  private static func errorOfWriting(to store: LocalStore) -> LocalStoreError? {
    do throws(LocalStoreError) {
      try store.tryWriting()
      return nil
    } catch {
      return error
    }
  }
}
