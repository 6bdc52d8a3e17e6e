public import AppModel
import DeviceCore
import LocalStore
public import Model

extension LifeSignalClient {
  /// The person who is signed in, if any.
  public func user() async throws(LifeSignalError) -> Account? {
    try await withStore { store throws(LocalStoreError) in try store.session().map(Account.init) }
  }

  /// The person who is signed in: now, and again after each change. Ends as `statuses()` does.
  public func users() -> AsyncStream<Account?> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().session().map(Account.init)) }
  }

  /// What the person says of themselves, which their responders read in every message; nil if they never did.
  public func profile() async throws(LifeSignalError) -> Profile? {
    try await withStore { store throws(LocalStoreError) in try store.profile()?.profile }
  }

  /// Sets what the person says of themselves: saves it on this device, and sends it with the next sync.
  public func setProfile(_ profile: Profile) async throws(LifeSignalError) {
    try await withStore { store throws(LocalStoreError) in try store.putProfile(profile, at: DeviceClock.now()) }
  }

  /// Whether somebody is signed in with a session that has not expired: now, and again after each change.
  package func signedInStates() -> AsyncStream<Bool> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().status().sync.signedIn) }
  }
}
