package import CurlKit
package import Model
package import Wire

/// The calls that a command makes by itself and waits for: signing in and out, and looking whether the server is there.
package struct AccountCalls: Sendable {
  package let endpoint: String
  package let certificateAuthorityFile: String?
  package let totalTimeoutMilliseconds: Int

  /// - Parameter endpoint: a validated base URL, without a slash at the end.
  package init(endpoint: String, certificateAuthorityFile: String? = nil, totalTimeoutMilliseconds: Int = 30_000) {
    self.endpoint = endpoint
    self.certificateAuthorityFile = certificateAuthorityFile
    self.totalTimeoutMilliseconds = totalTimeoutMilliseconds
  }

  /// Has a code sent to `phone`.
  package func requestCode(phone: String, region: String?) throws(AccountCallError) -> VerificationResponse {
    fatalError("not yet")
  }

  /// Signs in with the code that arrived.
  package func createSession(
    verificationID: String, code: String, deviceName: String
  ) throws(AccountCallError) -> SessionResponse { fatalError("not yet") }

  /// New tokens for a session whose access token has expired.
  package func refresh(refreshToken: String) throws(AccountCallError) -> TokenResponse { fatalError("not yet") }

  /// Ends the session of `accessToken`, and its alert key with it.
  package func deleteSession(accessToken: String) throws(AccountCallError) { fatalError("not yet") }

  /// Asks the server how it is, without credentials.
  package func checkHealth(now: @Sendable () -> Timestamp) throws(AccountCallError) -> ServerHealth {
    fatalError("not yet")
  }
}

/// What a server that is there and ours says of itself.
package struct ServerHealth: Sendable, Hashable {
  /// Server time minus device time, as far as the answer's time and the round trip tell; nil where it names no time.
  package var clockOffsetMilliseconds: Int64?
  package var roundTripMilliseconds: Int64
}

/// Why a call gave no result.
package enum AccountCallError: Error, Sendable, Hashable {
  /// The server's own word.
  case problem(Problem)
  /// Something answered that is not our server, such as a proxy or a portal.
  case notOurServer(status: Int)
  /// Nobody answered.
  case transport(CurlError)

  /// One line for a person.
  package var message: String {
    switch self {
    case .problem(let problem): problem.detail
    case .notOurServer(let status): "what answered is not a LifeSignal server (HTTP \(status))"
    case .transport(let error): error.message
    }
  }
}
