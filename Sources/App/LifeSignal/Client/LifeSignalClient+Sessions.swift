public import AppModel
import DeviceCore
import Model
import Wire

extension LifeSignalClient {
  /// Where the account is signed in, newest first, as the server says.
  ///
  /// Throws `notSignedIn`, `notConfigured` and `unreachable`.
  public func sessions() async throws(LifeSignalError) -> [Session] {
    try await withAccount { account throws(AccountError) in try account.sessions().map(Session.init) }
  }

  /// Ends the session of another device, one that was lost or stolen: from then on the server takes nothing from it, its alert
  /// key included.
  ///
  /// Throws `notFound`, and `invalid` for this device's own session, for which there is `signOut`.
  public func endSession(_ id: Session.ID) async throws(LifeSignalError) {
    try await withAccount { account throws(AccountError) in
      guard let id = EntityID(id) else { throw .invalid(InvalidInput(.body, "a session's ID is a UUID")) }
      _ = try account.endSession(id)
    }
  }
}
