import CurlTransport
import LocalStore
package import Model
package import Wire

extension AccountSession {
  /// Lists the account's sessions on the server, newest first.
  package func sessions() throws(AccountError) -> [SessionEntry] {
    try withAccessToken { calls, token throws(AccountCallError) in try calls.sessions(token: token) }
  }

  /// Ends another device's session: the server then rejects its tokens and its alert key. Returns the ended session.
  ///
  /// Throws `store` with `notFound` if the account has no such session, and `invalid` for this device's own session, which must
  /// be signed out instead.
  package func endSession(_ id: EntityID) throws(AccountError) -> SessionEntry {
    guard let session = try sessions().first(where: { $0.id == id }) else { throw Self.noSuchSession }
    guard !session.isCurrent else {
      throw .invalid(InvalidInput(.body, DeviceTexts.ownSession))
    }
    do throws(AccountError) {
      try withAccessToken { calls, token throws(AccountCallError) in try calls.deleteSession(id, token: token) }
    } catch {
      if case .refused(let problem) = error, problem.kind == .notFound { throw Self.noSuchSession }
      throw error
    }
    return session
  }

  private static let noSuchSession = AccountError.store(LocalStoreError(.notFound, DeviceTexts.noSuchSession))

  /// Runs `call` with the access token, and again with a new one if the server rejects it.
  private func withAccessToken<Result>(
    _ call: (AccountCalls, String) throws(AccountCallError) -> Result
  ) throws(AccountError) -> Result {
    let calls = try calls()
    guard let session = try Self.onStore({ () throws(LocalStoreError) in try store.session() }) else {
      throw .store(LocalStoreError(.notSignedIn, DeviceTexts.notSignedIn))
    }
    if !session.isExpired {
      let first = try unlessUnauthorized { () throws(AccountCallError) in try call(calls, session.accessToken) }
      if let first { return first }
      if let token = try refreshedAccessToken(session, calls) {
        let second = try unlessUnauthorized { () throws(AccountCallError) in try call(calls, token) }
        if let second { return second }
      }
    }
    throw .store(LocalStoreError(.notSignedIn, DeviceTexts.sessionExpired))
  }
}
