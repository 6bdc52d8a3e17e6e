package import Model

/// How sign-in codes fared in this process since its start, for its operator: no number, and no code.
package struct CodeFigures: Sendable, Hashable {
  /// What became of one attempt to send a code.
  package enum Result: String, Sendable, CaseIterable {
    case sent
    /// It failed, and is tried again.
    case retried
    /// It is given up.
    case failed
    /// Its number is blocked.
    case withheld
  }

  /// What became of work before a code.
  package enum Work: String, Sendable, CaseIterable {
    /// It was asked for.
    case challenged
    /// A proof brought a code.
    case accepted
    /// A proof brought none.
    case refused
  }

  package struct Failure: Sendable, Hashable {
    package var at: Timestamp
    package var reason: String
  }

  private var counts: [Result: Int] = [:]
  private var workCounts: [Work: Int] = [:]
  package private(set) var lastSentAt: Timestamp?
  package private(set) var lastFailure: Failure?
  /// Whether the newest attempt failed: then perhaps nobody can sign in.
  package private(set) var isFailing = false

  package init() {}

  package func count(_ result: Result) -> Int { counts[result] ?? 0 }

  package func count(_ work: Work) -> Int { workCounts[work] ?? 0 }

  package var isEmpty: Bool { counts.isEmpty && workCounts.isEmpty }

  /// A reply to a text message is no code, and does not count.
  package mutating func add(_ note: CodeNote, at now: Timestamp) {
    guard let result = note.result, !note.isReply else { return }
    counts[result, default: 0] += 1
    isFailing = result != .sent
    if isFailing { lastFailure = Failure(at: now, reason: note.text) } else { lastSentAt = now }
  }

  package mutating func addWithheld() { counts[.withheld, default: 0] += 1 }

  package mutating func add(_ work: Work) { workCounts[work, default: 0] += 1 }
}
