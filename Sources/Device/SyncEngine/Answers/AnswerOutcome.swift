package import LocalStore
package import Wire

/// The outcome of one HTTP answer.
package enum AnswerOutcome<Body: Hashable & Sendable>: Hashable, Sendable {
  /// Our server accepted the request.
  case accepted(Body)
  /// Our server rejects this request permanently. The only final outcome.
  case rejected(Problem)
  /// Our server wants other credentials.
  case credentialsNeeded(SyncFailure)
  /// The request is too large for the server or for something on the path. `problem` is set if our server said so.
  case tooLarge(SyncFailure, problem: Problem?)
  /// A temporary failure: retry later.
  case tryLater(SyncFailure, retryAfterMilliseconds: Int64?)
  /// Something else answered: a proxy, a captive portal, another service. Retried like any network failure.
  case notOurServer(SyncFailure)

  /// Whether our server decided: another attempt of the same request would get the same answer.
  package var isFromOurServer: Bool {
    switch self {
    case .accepted, .rejected, .credentialsNeeded: true
    case .tooLarge(_, let problem): problem != nil
    case .tryLater, .notOurServer: false
    }
  }
}
