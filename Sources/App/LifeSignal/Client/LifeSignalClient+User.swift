public import AppModel
import LocalStore

extension LifeSignalClient {
  /// The person who is signed in, if any.
  public func user() async throws(LifeSignalError) -> Account? {
    try await withStore { store throws(LocalStoreError) in try store.session().map(Account.init) }
  }

  /// The person who is signed in: now, and again after each change. Ends as `statuses()` does.
  public func users() -> AsyncStream<Account?> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().session().map(Account.init)) }
  }

  /// Whether somebody is signed in with a session that has not expired: now, and again after each change.
  package func signedInStates() -> AsyncStream<Bool> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().status().sync.signedIn) }
  }
}
