import CurlTransport
package import LocalStore
package import Model
package import Wire

/// Why signing in or out did not come about.
package enum AccountError: Error, Hashable, Sendable {
  /// No server is configured.
  case noEndpoint
  /// What the person gave cannot be accepted.
  case invalid(InvalidInput)
  /// The server said no.
  case refused(Problem)
  /// Nobody answered, or the server cannot answer now.
  case unreachable(String)
  /// Something answered that is not our server.
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
    case .transport: self = .unreachable(error.message)
    }
  }

  /// No code of the request can work any more.
  package var isCodeSpent: Bool {
    guard case .refused(let problem) = self else { return false }
    return AccountSession.isSpent(problem.kind)
  }

  /// One line for a person, without advice on how to go on: that depends on the program.
  package var message: String {
    switch self {
    case .noEndpoint: "no server is set"
    case .invalid(let invalid): invalid.message
    case .refused(let problem): problem.detail
    case .unreachable(let reason), .notOurServer(let reason): reason
    case .store(let error): error.message
    }
  }
}
