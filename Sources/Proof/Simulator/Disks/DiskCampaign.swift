/// Many trials of one store, and their results.
package struct DiskCampaign<Subject: DiskSubject> {
  let bench: DiskBench<Subject>
  let places: [DiskPlace]
  package let seed: UInt64
  package private(set) var report = DiskReport()

  package init(seed: UInt64) throws {
    bench = try DiskBench()
    places = try bench.places()
    self.seed = seed
    report.places = places.count
  }

  /// The number of trials in which every operation fails in every way.
  package var faultCount: Int { places.count * DiskFault.all.count }
  /// The number of trials in which the power fails once at every operation.
  package var cutCount: Int { places.count }

  /// Runs the trials with these numbers; stops after `violationLimit` violations.
  package mutating func run(
    _ kind: DiskTrialKind, _ numbers: some Sequence<Int>, violationLimit: Int = 10
  ) throws {
    for number in numbers where report.failures.count < violationLimit {
      let trial = DiskTrial(kind, number: number, seed: seed, places: places)
      let before = bench.disk.counts
      do {
        try bench.run(trial)
      } catch let violation as DiskViolation {
        report.failures.append(
          DiskFailure(store: Subject.name, kind: kind, number: number, seed: seed, trial: trial, violation: violation))
      }
      report.count(trial, bench.disk.counts, since: before)
    }
  }
}

// A part of a campaign's trials.
extension DiskCampaign {
  /// Every `step`-th of the trials that cover all places of this kind.
  package static func sample(
    _ kind: DiskTrialKind, seed: UInt64, every step: Int, violationLimit: Int = 10
  ) throws -> DiskReport {
    try sample(kind, seed: seed, violationLimit: violationLimit) { _ in step }
  }

  /// About this many of them, evenly spread.
  package static func sample(_ kind: DiskTrialKind, seed: UInt64, count: Int) throws -> DiskReport {
    try sample(kind, seed: seed, violationLimit: 10) { max(1, $0 / count) }
  }

  private static func sample(
    _ kind: DiskTrialKind, seed: UInt64, violationLimit: Int, step: (_ trialCount: Int) -> Int
  ) throws -> DiskReport {
    var campaign = try Self(seed: seed)
    let trialCount = kind == .fault ? campaign.faultCount : campaign.cutCount
    try campaign.run(kind, stride(from: 0, to: trialCount, by: step(trialCount)), violationLimit: violationLimit)
    return campaign.report
  }
}

/// A trial that broke a promise.
package struct DiskFailure: Sendable, CustomStringConvertible {
  package let store: String
  package let kind: DiskTrialKind
  package let number: Int
  package let seed: UInt64
  package let trial: DiskTrial
  package let violation: DiskViolation

  package var command: String {
    "lifesignal-simulate disks --store \(store) --seed \(seed) --only \(kind.rawValue):\(number)"
  }

  package var description: String {
    """
    \(violation)
    Steps \(trial.steps.lowerBound) to \(trial.steps.upperBound - 1), log copied at \(trial.checkpointPages) pages: \
    \(trial.hazards.map(\.description).joined(separator: "; then "))\
    \(trial.cutsAfter == nil ? "" : "; and the power cut after each")
    Again: \(command)
    """
  }
}

/// How much was tested.
package struct DiskReport: Sendable {
  /// The operations at which a store can be hurt, whether they were reached or not.
  package var places = 0
  package var trials = 0
  package var powerCuts = 0
  package var kills = 0
  package var ioFaults = 0
  package var compoundFaults = 0
  package var syncs = 0
  package var writesLost = 0
  package var writesTorn = 0
  package var failures: [DiskFailure] = []

  package init() {}

  /// The report for a person; empty if every promise was kept.
  package var told: [String] { failures.map(\.description) }
  /// The broken promises.
  package var kinds: Set<DiskViolation.Kind> { Set(failures.map(\.violation.kind)) }

  mutating func count(_ trial: DiskTrial, _ counts: DiskCounts, since before: DiskCounts) {
    trials += 1
    for hazard in trial.hazards {
      switch hazard {
      case .cut: powerCuts += 1
      case .kill:
        kills += 1
        if trial.cutsAfter != nil { powerCuts += 1 }
      case .fault, .none: if trial.cutsAfter != nil { powerCuts += 1 }
      }
    }
    if trial.hazards.count > 1 { compoundFaults += 1 }
    ioFaults += counts.struck - before.struck
    syncs += counts.syncs - before.syncs
    writesLost += counts.lost - before.lost
    writesTorn += counts.torn - before.torn
  }

  package static func + (left: DiskReport, right: DiskReport) -> DiskReport {
    var sum = left
    sum.places += right.places
    sum.trials += right.trials
    sum.powerCuts += right.powerCuts
    sum.kills += right.kills
    sum.ioFaults += right.ioFaults
    sum.compoundFaults += right.compoundFaults
    sum.syncs += right.syncs
    sum.writesLost += right.writesLost
    sum.writesTorn += right.writesTorn
    sum.failures += right.failures
    return sum
  }
}
