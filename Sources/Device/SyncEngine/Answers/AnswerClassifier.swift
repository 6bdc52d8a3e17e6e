import LocalStore
package import Model
import PlantedBugs
package import Wire

/// Maps an HTTP answer to its outcome. Total: every answer, from any sender, has exactly one outcome.
///
/// `OwnAnswer` identifies our server's answers. Every other answer counts as a network failure, and the request is retried (I5).
package enum AnswerClassifier {
  /// - Parameters:
  ///   - body: what an accepted answer (200) holds.
  ///   - now: the best estimate of the server's time, for a `Retry-After` that is a date.
  package static func classify<Body: JSONBody & Hashable & Sendable>(
    _ answer: HTTPAnswer, as body: Body.Type, now: Timestamp
  ) -> AnswerOutcome<Body> {
    if answer.status == 200 {
      guard let decoded = OwnAnswer.body(body, answer.body) else { return .notOurServer(foreign) }
      return .accepted(decoded)
    }
    let problem = OwnAnswer.problem(
      status: answer.status, contentType: answer.headers["content-type"], body: answer.body)
    if let problem { return refusal(problem, answer, now: now) }
    return foreignRefusal(answer, now: now)
  }

  /// The outcome of a problem document from our server.
  private static func refusal<Body>(_ problem: Problem, _ answer: HTTPAnswer, now: Timestamp) -> AnswerOutcome<Body> {
    switch problem.kind {
    case .malformedRequest: .rejected(problem)
    case .unauthorized: .credentialsNeeded(SyncFailure(.unauthorized, problem.detail))
    case .sessionRevoked: .credentialsNeeded(SyncFailure(.unauthorized, problem.detail, isRevoked: true))
    // A code that this version does not know never parks an item.
    case .bodyTooLarge:
      .tooLarge(SyncFailure(.tooLarge, problem.detail), problem: problem.isUnknown ? nil : problem)
    case .rateLimited: later(.rateLimited, problem.detail, answer, now)
    case .timeout, .unavailable, .internalError, .headersTooLarge:
      later(.serverError, problem.detail, answer, now)
    case .invalidPhoneNumber, .forbidden, .notFound, .methodNotAllowed, .conflict, .gone, .unsupportedMediaType,
      .codeWrong,
      .codeExpired, .codeUsed, .codeTriesExhausted:
      later(.rejectedRequest, problem.detail, answer, now)
    }
  }

  /// The outcome of an error that our server did not write.
  private static func foreignRefusal<Body>(_ answer: HTTPAnswer, now: Timestamp) -> AnswerOutcome<Body> {
    switch answer.status {
    case 404 where PlantedBug.foreign404IsFinal.isPlanted:
      return .rejected(Problem(.notFound, "the server does not know this (HTTP 404)"))
    case 413:
      return .tooLarge(SyncFailure(.tooLarge, "this network only accepts smaller requests"), problem: nil)
    case 429: return foreignLater(.rateLimited, "too many requests; told to wait (HTTP 429)", answer, now)
    // The code that captive portals have.
    case 511: return .notOurServer(foreign)
    case 408, 425, 500...599:
      return foreignLater(
        .serverError, "the server, or something before it, cannot answer now (HTTP \(answer.status))", answer, now)
    default: return .notOurServer(foreign)
    }
  }

  /// Whoever wrote it may be a box of a network that the device has left by then: how long it wants to be left alone counts for no longer
  /// than an alert waits after any failure.
  private static func foreignLater<Body>(
    _ kind: SyncFailure.Kind, _ message: String, _ answer: HTTPAnswer, _ now: Timestamp
  ) -> AnswerOutcome<Body> {
    let asked = RetryAfter.milliseconds(headers: answer.headers, now: now)
    return .tryLater(
      SyncFailure(kind, message), retryAfterMilliseconds: asked.map { min($0, Backoff.emergency.capMilliseconds) })
  }

  private static func later<Body>(
    _ kind: SyncFailure.Kind, _ message: String, _ answer: HTTPAnswer, _ now: Timestamp
  ) -> AnswerOutcome<Body> {
    .tryLater(
      SyncFailure(kind, message),
      retryAfterMilliseconds: RetryAfter.milliseconds(headers: answer.headers, now: now)
    )
  }

  private static var foreign: SyncFailure {
    SyncFailure(.notOurServer, OwnAnswer.foreignText)
  }
}
