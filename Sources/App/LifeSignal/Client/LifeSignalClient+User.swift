public import AppModel
import DeviceCore
import LocalStore
import Model

extension LifeSignalClient {
  /// The person who is signed in, if any.
  public func user() async throws(LifeSignalError) -> Account? {
    try await withStore { store throws(LocalStoreError) in try store.account() }
  }

  /// The person who is signed in: now, and again after each change. Ends as `statuses()` does.
  public func users() -> AsyncStream<Account?> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().account()) }
  }

  /// Sets the name that the person's responders read in every message, 1…100 characters: saves it on this device, also before the first
  /// sign-in, and sends it with the next sync. Throws `invalid` if it is no name.
  public func setName(_ name: String) async throws(LifeSignalError) {
    let profile: Profile
    do throws(InvalidInput) {
      profile = try Profile(name: name)
      try ContactDetails.requireVisible(profile.name)
    } catch {
      throw LifeSignalError(.invalid, error.message)
    }
    try await withStore { store throws(LocalStoreError) in try store.putProfile(profile, at: DeviceClock.now()) }
  }

  /// Whether somebody is signed in with a session that has not expired: now, and again after each change.
  package func signedInStates() -> AsyncStream<Bool> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().status().sync.signedIn) }
  }
}

extension LocalStore {
  /// The person who is signed in, if any.
  fileprivate func account() throws(LocalStoreError) -> User? {
    guard let session = try session() else { return nil }
    return User(session, try profile())
  }
}
