import LocalStore
package import Model
import PlantedBugs
package import Wire

/// Decides what an answer means. Total: every answer, whoever sent it, has exactly one outcome.
///
/// `OwnAnswer` says which are our server's. All others are the network's doing, and what was sent is sent again (I5).
package enum AnswerClassifier {
  /// - Parameters:
  ///   - body: what an accepted answer (200) holds.
  ///   - now: the server's time as far as it is known, for a `Retry-After` that is a date.
  package static func classify<Body: JSONBody & Hashable & Sendable>(
    _ answer: HTTPAnswer, as body: Body.Type, now: Timestamp
  ) -> AnswerOutcome<Body> {
    if answer.status == 200 {
      guard let decoded = OwnAnswer.body(body, answer.body) else { return .notOurServer(foreign(answer)) }
      return .accepted(decoded)
    }
    let problem = OwnAnswer.problem(
      status: answer.status, contentType: answer.headers["content-type"], body: answer.body)
    if let problem { return refusal(problem, answer, now: now) }
    return foreignRefusal(answer, now: now)
  }

  /// What our own problem means.
  private static func refusal<Body>(_ problem: Problem, _ answer: HTTPAnswer, now: Timestamp) -> AnswerOutcome<Body> {
    switch problem.kind {
    case .malformedRequest: .rejected(problem)
    case .unauthorized, .sessionRevoked: .credentialsNeeded(SyncFailure(.unauthorized, problem.detail))
    // A code that this version does not know is not the last word on any item.
    case .bodyTooLarge:
      .tooLarge(SyncFailure(.tooLarge, problem.detail), problem: problem.isUnknown ? nil : problem)
    case .rateLimited: later(.rateLimited, problem.detail, answer, now)
    case .timeout, .unavailable, .internalError, .headersTooLarge:
      later(.serverError, problem.detail, answer, now)
    case .invalidPhoneNumber, .forbidden, .notFound, .methodNotAllowed, .conflict, .unsupportedMediaType, .codeWrong,
      .codeExpired, .codeUsed, .codeTriesExhausted:
      later(.rejectedRequest, problem.detail, answer, now)
    }
  }

  /// What an answer means that does not say it is ours.
  private static func foreignRefusal<Body>(_ answer: HTTPAnswer, now: Timestamp) -> AnswerOutcome<Body> {
    switch answer.status {
    case 404 where PlantedBug.foreign404IsFinal.isPlanted:
      return .rejected(Problem(.notFound, "the server does not know this (HTTP 404)"))
    case 413:
      return .tooLarge(SyncFailure(.tooLarge, "something on the way takes only smaller requests"), problem: nil)
    case 429: return later(.rateLimited, "asked to wait (HTTP 429)", answer, now)
    case 408, 425, 500...599:
      return later(.serverError, "the server cannot answer now (HTTP \(answer.status))", answer, now)
    default: return .notOurServer(foreign(answer))
    }
  }

  private static func later<Body>(
    _ kind: SyncFailure.Kind, _ message: String, _ answer: HTTPAnswer, _ now: Timestamp
  ) -> AnswerOutcome<Body> {
    .tryLater(
      SyncFailure(kind, message),
      retryAfterMilliseconds: RetryAfter.milliseconds(headers: answer.headers, now: now)
    )
  }

  private static func foreign(_ answer: HTTPAnswer) -> SyncFailure {
    SyncFailure(.notOurServer, OwnAnswer.foreignText(status: answer.status))
  }
}
