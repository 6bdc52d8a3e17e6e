import DeviceCore
import LocalStore
import Model

/// Finds out what the server has of a saved alert if the store can no longer be written, and so cannot record the answer.
enum UnrecordedAnswer {
  /// Sends the queued items once more under their ids: the call, or all alerts if one was ended. True if the server has them; that is
  /// then said.
  ///
  /// - Parameters:
  ///   - storeError: why the store recorded no answer, if known; otherwise a short write is tried.
  ///   - nobodySaid: why nobody is told, as it was said before.
  static func tell(
    _ store: LocalStore, _ alertID: AlertID, _ notice: Notice, storeError: LocalStoreError?,
    nobodySaid: NobodyIsTold?, _ context: Context
  ) -> Bool {
    guard let error = storeError ?? errorOfWriting(to: store) else { return false }
    // Best effort: what cannot be read cannot be sent, and is reported as not sent.
    let moment = DeviceClock.now()
    guard let queued = try? EmergencyMessage.queued(store, at: moment) else { return false }
    let messages = notice == .activated ? queued.filter { $0.alert.id == alertID } : queued
    guard let unsaved = UnsavedAlert(store.home, context) else { return false }
    return unsaved.sendQueued(messages, notice, at: moment, because: error.message, nobodySaid: nobodySaid)
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
