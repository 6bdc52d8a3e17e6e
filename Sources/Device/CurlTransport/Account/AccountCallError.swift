package import CurlKit
package import LocalStore
import SyncEngine
package import Wire

/// Why an account call failed.
package enum AccountCallError: Error, Sendable, Hashable {
  /// Our server refused the call.
  case problem(Problem)
  /// Something other than our server answered, such as a proxy or a captive portal.
  case notOurServer(status: Int)
  /// Nobody answered.
  case transport(CurlError)

  /// Whether the server may have what was sent: the answer is missing, or something on the path may have passed it on.
  package var mayHaveArrived: Bool {
    switch self {
    case .problem(let problem): problem.status >= 500
    case .notOurServer(let status): status >= 500
    case .transport(let error): [.timedOut, .protocolError].contains(error.code)
    }
  }

  /// The failure as a sync reports it.
  package var syncFailure: SyncFailure {
    switch self {
    case .problem(let problem):
      switch problem.kind {
      case .unauthorized: SyncFailure(.unauthorized, problem.detail)
      case .sessionRevoked: SyncFailure(.unauthorized, problem.detail, isRevoked: true)
      case .rateLimited: SyncFailure(.rateLimited, problem.detail)
      default: SyncFailure(problem.status >= 500 ? .serverError : .rejectedRequest, problem.detail)
      }
    case .notOurServer: SyncFailure(.notOurServer, message)
    case .transport(let error): TransportFailure(error).syncFailure
    }
  }

  /// One line for a person.
  package var message: String {
    switch self {
    case .problem(let problem): problem.detail
    case .notOurServer: OwnAnswer.foreignText
    case .transport(let error): error.message
    }
  }
}

/// The result of a health check of our server.
package struct ServerHealth: Sendable, Hashable {
  /// Server time minus device time, to within half the round trip.
  package var clockOffsetMilliseconds: Int64
  package var roundTripMilliseconds: Int64
}
