/// What goes wrong while a part of the script is performed.
package enum Hazard: Hashable, Sendable {
  case none
  /// The operation of this number fails.
  case fault(DiskFault, at: Int)
  /// The power fails before the operation of this number; what the disk then holds follows from the seed.
  case cut(at: Int, seed: UInt64)
  /// The process is killed before the operation of this number.
  case kill(at: Int)
}

/// A part of the script, performed once for each hazard, each time from where the last one left the files, and at last without
/// one.
package struct DiskTrial: Hashable, Sendable {
  package var firstStep: Int
  package var stepCount: Int
  package var checkpointPages: Int
  package var hazards: [Hazard]
  /// The power is cut after each of these parts, whatever went wrong in it, with this seed and the part's number.
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

  /// The first step is -1 where the store is made anew.
  var steps: Range<Int> { max(0, firstStep)..<firstStep + stepCount }

  /// How many of the steps are behind somebody who did these.
  func countDone(_ done: [Int]) -> Int { done.max().map { $0 + 1 - steps.lowerBound } ?? 0 }
}

/// Why a trial is a violation.
package struct DiskViolation: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Hashable, Sendable {
    /// A step that was said to be done is not there any more.
    case lostCommit = "lost commit"
    /// The rows are those of no sequence of whole steps.
    case torn = "rows that do not belong together"
    case damaged = "damaged file"
    /// After all hazards the store cannot be opened, or a step fails.
    case unusable = "unusable store"
    /// A step that was performed again did something.
    case repeated = "a second effect"
  }

  package var kind: Kind
  package var text: String

  package var description: String { "\(kind.rawValue): \(text)" }
}
