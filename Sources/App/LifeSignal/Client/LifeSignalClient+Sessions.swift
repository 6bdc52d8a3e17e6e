public import AppModel
import DeviceCore
import Model
import Wire

extension LifeSignalClient {
  /// The sessions of the account on the server, newest first.
  ///
  /// Throws `notSignedIn`, `notConfigured` and `unreachable`.
  public func sessions() async throws(LifeSignalError) -> [Session] {
    try await withAccount { account throws(AccountError) in try account.sessions().map(Session.init) }
  }

  /// Ends the session of another device, for example a lost one: the server then accepts nothing from it, not even by its alert key.
  ///
  /// Throws `notFound`, and `invalid` for this device's own session, which `signOut` ends.
  public func endSession(_ id: Session.ID) async throws(LifeSignalError) {
    try await withAccount { account throws(AccountError) in
      guard let id = EntityID(id) else { throw .invalid(InvalidInput(.body, "a session's ID is a UUID")) }
      _ = try account.endSession(id)
    }
  }
}
