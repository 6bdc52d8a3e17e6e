package import LocalStore
package import Wire

/// What an answer means: one of these, and nothing else.
package enum AnswerOutcome<Body: Hashable & Sendable>: Hashable, Sendable {
  /// Our server did what was asked.
  case accepted(Body)
  /// Our server refuses this request, and will again. The only answer that is ever final.
  case rejected(Problem)
  /// Our server wants other credentials.
  case credentialsNeeded(SyncFailure)
  /// Somebody on the way finds the request too large; `problem` where it was our server.
  case tooLarge(SyncFailure, problem: Problem?)
  /// It may work later.
  case tryLater(SyncFailure, retryAfterMilliseconds: Int64?)
  /// Somebody else answered: a proxy, a portal, another service. Tried again like any failure.
  case notOurServer(SyncFailure)

  /// Whether it says something that another attempt of the same request would be told too.
  package var isFromOurServer: Bool {
    switch self {
    case .accepted, .rejected, .credentialsNeeded: true
    case .tooLarge(_, let problem): problem != nil
    case .tryLater, .notOurServer: false
    }
  }
}
