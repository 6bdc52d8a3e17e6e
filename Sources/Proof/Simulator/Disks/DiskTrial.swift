/// What goes wrong while a part of the script runs.
package enum Hazard: Hashable, Sendable {
  case none
  /// The operation with this number fails.
  case fault(DiskFault, at: Int)
  /// The power fails before the operation with this number; the seed decides what the disk then holds.
  case cut(at: Int, seed: UInt64)
  /// The process is killed before the operation with this number.
  case kill(at: Int)
}

/// A part of the script, run once for each hazard and finally without one. Each run starts from the files that the last one
/// left.
package struct DiskTrial: Hashable, Sendable {
  package var firstStep: Int
  package var stepCount: Int
  package var checkpointPages: Int
  package var hazards: [Hazard]
  /// The power is cut after each of these runs, whatever went wrong in it, with this seed and the run's number.
  package var cutsAfter: UInt64?

  package init(
    firstStep: Int, stepCount: Int, checkpointPages: Int, hazards: [Hazard], cutsAfter: UInt64? = nil
  ) {
    self.firstStep = firstStep
    self.stepCount = stepCount
    self.checkpointPages = checkpointPages
    self.hazards = hazards
    self.cutsAfter = cutsAfter
  }

  /// The first step is -1 if the store is created.
  var steps: Range<Int> { max(0, firstStep)..<firstStep + stepCount }

  /// How many steps follow these.
  func countDone(_ done: [Int]) -> Int { done.max().map { $0 + 1 - steps.lowerBound } ?? 0 }
}

/// Why a trial is a violation.
package struct DiskViolation: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Hashable, Sendable {
    /// A step that was reported as done is gone.
    case lostCommit = "lost commit"
    /// The rows do not match any sequence of whole steps.
    case torn = "rows of different transactions"
    case damaged = "damaged file"
    /// After all hazards the store cannot be opened, or a step fails.
    case unusable = "unusable store"
    /// A repeated step had an effect.
    case repeated = "a second effect"
  }

  package var kind: Kind
  package var text: String

  package var description: String { "\(kind.rawValue): \(text)" }
}
