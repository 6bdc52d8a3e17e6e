/// The breaches found so far, each once: a promise that stays broken is told when it is first seen.
struct Findings {
  private(set) var violations: [Violation] = []
  private var told: Set<String> = []

  /// - Parameter key: what is broken, without what changes from one look to the next.
  mutating func add(_ promise: Violation.Promise, _ key: String, _ text: String, at now: Int64) {
    guard told.insert("\(promise.rawValue) \(key)").inserted else { return }
    violations.append(Violation(promise, text, at: now))
  }

  mutating func add(_ promise: Violation.Promise, _ text: String, at now: Int64) {
    add(promise, text, text, at: now)
  }
}
