package import CurlKit
package import Wire

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
    case .notOurServer(let status): OwnAnswer.foreignText(status: status)
    case .transport(let error): error.message
    }
  }
}

/// What a server that is there and ours says of itself.
package struct ServerHealth: Sendable, Hashable {
  /// Server time minus device time, to within half the round trip.
  package var clockOffsetMilliseconds: Int64
  package var roundTripMilliseconds: Int64
}
