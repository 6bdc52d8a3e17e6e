import Arguments
import PlantedBugs
import Simulator

/// `lifesignal-simulate disks`: power cuts and failing disks under the device's store and the server's.
enum DisksCommand {
  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    let options = try DisksOptions(invocation)
    do {
      return try options.isControl ? control(options) : prove(options)
    } catch {
      SimulateOptions.complain("the trials cannot be made: \(error)\n")
      return 1
    }
  }

  private static func prove(_ options: DisksOptions) throws -> Int32 {
    let start = ContinuousClock.now
    var report = DiskReport()
    if options.stores.contains(.device) { report = report + (try perform(options, DeviceSubject.self)) }
    if options.stores.contains(.server) { report = report + (try perform(options, ServerSubject.self)) }
    for failure in report.failures { SimulateOptions.complain("\(failure)\n\n") }
    print(line(report, options, since: start))
    return report.failures.isEmpty ? 0 : 1
  }

  private static func perform<Subject: DiskSubject>(
    _ options: DisksOptions, _ subject: Subject.Type
  ) throws -> DiskReport {
    var campaign = try DiskCampaign<Subject>(seed: options.seed)
    if let only = options.only {
      try campaign.run(only.kind, only.numbers)
      return campaign.report
    }
    let share = options.stores.count
    try campaign.run(.fault, 0..<campaign.faultCount)
    // Covers every operation at least once, however few cuts were requested.
    try campaign.run(.cut, 0..<max(campaign.cutCount, (options.cuts + share - 1) / share))
    try campaign.run(.compound, 0..<(options.compound + share - 1) / share)
    return campaign.report
  }

  /// With `synchronous=NORMAL` the trials must find lost commits; otherwise they are blind.
  private static func control(_ options: DisksOptions) throws -> Int32 {
    guard PlantedBug.isCompiledIn else {
      SimulateOptions.complain("this build cannot plant a bug: build it with LIFESIGNAL_PLANTED_BUGS=1\n")
      return 64
    }
    let start = ContinuousClock.now
    var report = DiskReport()
    var isBlind = false
    for store in options.stores {
      let part = try PlantedBug.plant(PlantedBug.walWithNormal) {
        switch store {
        case .device: try controlled(options, DeviceSubject.self)
        case .server: try controlled(options, ServerSubject.self)
        }
      }
      isBlind = isBlind || !part.failures.contains { $0.violation.kind == .lostCommit }
      report = report + part
    }
    print(line(report, options, since: start))
    if isBlind { SimulateOptions.complain("the trials are blind: no commit was lost without syncs\n") }
    return isBlind ? 1 : 0
  }

  private static func controlled<Subject: DiskSubject>(
    _ options: DisksOptions, _ subject: Subject.Type
  ) throws -> DiskReport {
    var campaign = try DiskCampaign<Subject>(seed: options.seed)
    try campaign.run(.cut, 0..<campaign.cutCount, violationLimit: .max)
    return campaign.report
  }

  private static func line(
    _ report: DiskReport, _ options: DisksOptions, since start: ContinuousClock.Instant
  ) -> String {
    let time = (ContinuousClock.now - start).components
    let milliseconds = time.seconds * 1000 + time.attoseconds / 1_000_000_000_000_000
    let lostCommits = report.failures.count { $0.violation.kind == .lostCommit }
    let members: [(String, String)] = [
      ("seed", "\(options.seed)"), ("control", "\(options.isControl)"), ("places", "\(report.places)"),
      ("sweep", "\(report.places * DiskFault.all.count)"), ("trials", "\(report.trials)"),
      ("power_cuts", "\(report.powerCuts)"), ("kills", "\(report.kills)"),
      ("compound_faults", "\(report.compoundFaults)"), ("io_faults", "\(report.ioFaults)"),
      ("syncs", "\(report.syncs)"), ("writes_lost", "\(report.writesLost)"), ("writes_torn", "\(report.writesTorn)"),
      ("lost_commits", "\(lostCommits)"), ("violations", "\(report.failures.count)"),
      ("seconds", "\(milliseconds / 1000).\(milliseconds % 1000 / 100)"),
    ]
    return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }
}
