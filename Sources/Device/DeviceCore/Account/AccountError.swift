import CurlKit
import CurlTransport
package import LocalStore
package import Model
package import Wire

/// Why signing in or out failed.
package enum AccountError: Error, Hashable, Sendable {
  /// No server is configured.
  case noEndpoint
  /// The person's input is invalid.
  case invalid(InvalidInput)
  /// The server refused.
  case refused(Problem)
  /// The server did not answer, or is temporarily unavailable.
  case unreachable(String)
  /// No secure connection: the server's certificate is refused, or the file of authorities that are trusted cannot be read.
  case untrusted(String)
  /// Something other than our server answered.
  case notOurServer(String)
  case store(LocalStoreError)

  init(_ error: AccountCallError) {
    switch error {
    case .problem(let problem):
      switch problem.kind {
      case .unavailable, .internalError, .timeout: self = .unreachable(problem.detail)
      default: self = .refused(problem)
      }
    case .notOurServer: self = .notOurServer(error.message)
    case .transport(let failure) where failure.code == .tls || failure.code == .certificateAuthorityFile:
      self = .untrusted(error.message)
    case .transport: self = .unreachable(error.message)
    }
  }

  /// Whether no code for this verification can work any more.
  package var isCodeSpent: Bool {
    guard case .refused(let problem) = self else { return false }
    return AccountSession.isSpent(problem.kind)
  }

  /// One line for a person, without advice on what to do next, which depends on the program.
  package var message: String {
    switch self {
    case .noEndpoint: DeviceTexts.noServer
    case .invalid(let invalid): invalid.message
    case .refused(let problem): problem.detail
    case .unreachable(let reason), .untrusted(let reason), .notOurServer(let reason): reason
    case .store(let error): error.message
    }
  }
}
