import Arguments
import Glibc
import PlantedBugs
import Simulator
import SystemKit
import TestSupport

/// `lifesignal-simulate [--seed N | --seeds A..B] …`: whole runs of devices and the server.
enum SeedsCommand {
  struct Options {
    var seeds: ClosedRange<UInt64> = 1...1
    var devices: ClosedRange<Int> = 2...8
    var minutes = 10
    var historyAlerts: Int?
    /// Nil: as many as in earnest.
    var exchangeItems: Int?
    var trace = false
    var bug: PlantedBug?

    init(_ invocation: Invocation) throws(UsageError) {
      let one = try invocation.read("seed", rangeMeaning) { range($0, in: 0...UInt64.max) }
      seeds = try invocation.read("seeds", rangeMeaning) { range($0, in: 0...UInt64.max) } ?? one ?? seeds
      devices = try invocation.read("devices", rangeMeaning) { range($0, in: 1...16) } ?? devices
      minutes = try invocation.read("minutes", rangeMeaning) { range($0, in: 1...10_000)?.lowerBound } ?? minutes
      historyAlerts = try invocation.read("history", rangeMeaning) { range($0, in: 0...20_000)?.lowerBound }
      exchangeItems = try invocation.read("exchange-items", rangeMeaning) { range($0, in: 1...500)?.lowerBound }
      trace = invocation.has("trace")
      bug = try plantedBug(invocation)
    }
  }

  private static let rangeMeaning = "a number, or a range as in 1..100"

  private static func plantedBug(_ invocation: Invocation) throws(UsageError) -> PlantedBug? {
    guard PlantedBug.isCompiledIn || invocation.value("plant") == nil else {
      throw UsageError(
        message: "this build has no planted bugs: build with LIFESIGNAL_PLANTED_BUGS=1 in the environment",
        path: invocation.path)
    }
    return try invocation.read("plant", "one of the bugs that “--plant list” names") { PlantedBug(rawValue: $0) }
  }

  /// `5` or `1..100`.
  private static func range<Number: FixedWidthInteger>(
    _ text: String, in allowed: ClosedRange<Number>
  ) -> ClosedRange<Number>? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: true).map { Number(String($0)) }
    let isRange = text.contains("..")
    guard let first = parts.first ?? nil, let last = isRange ? (parts.count == 2 ? parts[1] : nil) : first,
      parts.count <= 2, first <= last, allowed.contains(first), allowed.contains(last)
    else { return nil }
    return first...last
  }

  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    if invocation.value("plant") == "list", PlantedBug.isCompiledIn {
      for bug in PlantedBug.allCases { print(bug.rawValue) }
      return 0
    }
    let options = try Options(invocation)
    if let obstacle = Simulation.obstacle {
      SimulateOptions.complain("lifesignal-simulate: \(obstacle)\n")
      return 69
    }
    return run(options)
  }

  // MARK: Runs

  private static func run(_ options: Options) -> Int32 {
    ScratchFolder.with { run(options, in: $0) }
  }

  private static func run(_ options: Options, in folder: String) -> Int32 {
    let start = seconds()
    var totals = Totals()
    for seed in options.seeds {
      var simulation = Simulation(seed: seed, minutes: options.minutes)
      simulation.devices = Simulation.deviceCount(seed, in: options.devices)
      simulation.historyAlerts = options.historyAlerts
      simulation.exchangeItems = options.exchangeItems
      simulation.bug = options.bug
      simulation.keepsTrace = options.trace
      let outcome = simulation.run(in: "\(folder)/run")
      totals.add(outcome)
      if options.trace { for line in outcome.trace.lines { print(line) } }
      if !outcome.violations.isEmpty { tell(outcome, options) }
      if options.seeds.count == 1 {
        print("seed \(seed) trace \(outcome.trace.hash.text) lines \(outcome.trace.lineCount)")
      }
    }
    print(totals.json(seconds: seconds() - start))
    return totals.violations == 0 ? 0 : 1
  }

  private static let linesTold = 60

  private static func tell(_ outcome: Simulation.Outcome, _ options: Options) {
    print("SEED \(outcome.seed) BROKE A PROMISE. Again: \(command(outcome.seed, options)) --trace")
    for violation in outcome.violations.prefix(20) {
      print("  \(violation.promise.rawValue) at \(Simulation.clock(violation.at)): \(violation.text)")
    }
    guard !options.trace else { return }
    for line in outcome.trace.lines.suffix(linesTold) { print("    \(line)") }
  }

  private static func command(_ seed: UInt64, _ options: Options) -> String {
    "lifesignal-simulate --seed \(seed) --devices \(options.devices.lowerBound)..\(options.devices.upperBound)"
      + " --minutes \(options.minutes)" + (options.historyAlerts.map { " --history \($0)" } ?? "")
      + (options.exchangeItems.map { " --exchange-items \($0)" } ?? "")
      + (options.bug.map { " --plant \($0.rawValue)" } ?? "")
  }

  private static func seconds() -> Double { KernelClock.monotonic.seconds() }
}

/// The sums over many runs.
struct Totals {
  private var runs = 0
  private(set) var violations = 0
  private var seedsWithViolations: [UInt64] = []
  private var deviceMinutes = 0.0
  private var faults = 0
  private var messages = 0
  private var promises: [String: Int] = [:]

  mutating func add(_ outcome: Simulation.Outcome) {
    runs += 1
    violations += outcome.violations.count
    if !outcome.violations.isEmpty { seedsWithViolations.append(outcome.seed) }
    for promise in Set(outcome.violations.map(\.promise.rawValue)) { promises[promise, default: 0] += 1 }
    deviceMinutes += outcome.deviceMinutes
    faults += outcome.faults
    messages += outcome.messages
  }

  /// One line, for a program that adds up several processes.
  func json(seconds: Double) -> String {
    let broken = promises.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    let first = seedsWithViolations.first.map { String($0) } ?? "null"
    return "{\"runs\":\(runs),\"violations\":\(violations),\"seeds_with_violations\":\(seedsWithViolations.count),"
      + "\"first_seed\":\(first),\"promises\":{\(broken)},\"device_minutes\":\(Int(deviceMinutes)),"
      + "\"faults\":\(faults),\"messages\":\(messages),\"seconds\":\(rounded(seconds)),"
      + "\"device_minutes_per_second\":\(Int(deviceMinutes / max(seconds, 0.001)))}"
  }

  private func rounded(_ seconds: Double) -> Double { (seconds * 100).rounded() / 100 }
}
