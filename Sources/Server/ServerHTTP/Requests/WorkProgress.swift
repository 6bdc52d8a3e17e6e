/// How far a queue has come.
package struct WorkProgress: Sendable, Hashable {
  /// How many wait.
  package var waiting: Int
  /// How many were taken out, ever.
  package var takenCount: Int

  package init(waiting: Int, takenCount: Int) {
    self.waiting = waiting
    self.takenCount = takenCount
  }

  /// Whether what waited `before` still waits, and nothing was taken out since.
  package func isStuck(since before: WorkProgress) -> Bool {
    before.waiting > 0 && waiting > 0 && takenCount == before.takenCount
  }
}
