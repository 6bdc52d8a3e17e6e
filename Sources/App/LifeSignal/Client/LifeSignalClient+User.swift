public import AppModel
import LocalStore

extension LifeSignalClient {
  /// Who is signed in; nil where nobody is.
  public func user() async throws(LifeSignalError) -> Account? {
    try await withStore { store throws(LocalStoreError) in try store.session().map(Account.init) }
  }

  /// Who is signed in: now, and again whenever that changed. Ends when the task that reads it is cancelled, and as
  /// `statuses()` does where the store cannot be read.
  public func users() -> AsyncStream<Account?> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().session().map(Account.init)) }
  }

  /// Whether somebody is signed in whose session has not expired: now, and again whenever that changed, as `users()`.
  package func signedInStates() -> AsyncStream<Bool> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().status().sync.signedIn) }
  }
}
