import LocalStore
import Model

/// What the server said of an alert that is saved, where the store cannot be written any more and so cannot keep the answer.
enum UnrecordedAnswer {
  /// Asks once more, under the ids that are queued. True where the server has it, and that was told.
  ///
  /// - Parameter storeError: why the store took no answer, where that is known; else it is tried with a short one.
  static func tell(
    _ store: LocalStore, _ alert: Alert, _ notice: Notice, storeError: LocalStoreError?, _ context: Context
  ) -> Bool {
    guard let error = storeError ?? errorOfWriting(to: store) else { return false }
    // What cannot be read cannot be sent either: it is then told as not sent.
    guard let message = try? EmergencyMessage.queued(alert, store), !message.mutations.isEmpty else { return false }
    return UnsavedAlert(store.home, context)?.sendSaved(message, notice, because: error.message) ?? false
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
