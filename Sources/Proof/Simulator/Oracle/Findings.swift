/// The broken promises found so far. One that stays broken is reported once.
struct Findings {
  private(set) var violations: [Violation] = []
  private var told: Set<String> = []

  /// - Parameter key: identifies the finding, without details that change from one look to the next.
  mutating func add(_ promise: Violation.Promise, _ key: String, _ text: String, at now: Int64) {
    guard told.insert("\(promise.rawValue) \(key)").inserted else { return }
    violations.append(Violation(promise, text, at: now))
  }

  mutating func add(_ promise: Violation.Promise, _ text: String, at now: Int64) {
    add(promise, text, text, at: now)
  }
}
