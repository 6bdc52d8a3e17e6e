import Glibc
import Simulator

/// `lifesignal-simulate herd`: thousands of devices, and an outage of the server.
///
/// Two courses, an outage and a restart of two seconds, one line of JSON each; exit status 1 where a bound was broken.
enum HerdCommand {
  private static let usage = """
    usage: lifesignal-simulate herd [--devices 10000] [--outage-minutes 10] [--alert-share 0.02] [--seed 1] [--plot FILE.svg]

    """

  static func run(_ arguments: [String]) -> Int32 {
    guard let options = Options(arguments) else {
      _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      return 64
    }
    var plot = HerdPlot()
    var isBroken = false
    let outageMinutes = Double(options.settings.outageMilliseconds) / 60_000
    let courses = [
      ("outage", "Away for \(Int(outageMinutes.rounded())) minutes", options.settings),
      ("restart", "Restarted, away for 2 seconds", options.settings.restart),
    ]
    for (scenario, title, settings) in courses {
      let start = now()
      var run = HerdRun(settings)
      run.perform()
      let report = HerdReport(run)
      print(report.json(scenario: scenario, seconds: now() - start))
      fflush(nil)
      isBroken = isBroken || !report.violations.isEmpty
      if options.plot != nil { plot.panels.append((title, run)) }
    }
    if let path = options.plot, !save(plot.svg, path) { return 73 }
    return isBroken ? 1 : 0
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func save(_ text: String, _ path: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    let isWritten = fputs(text, file) >= 0
    return fclose(file) == 0 && isWritten
  }

  private struct Options {
    var settings = HerdSettings()
    var plot: String?

    init?(_ arguments: [String]) {
      guard arguments.count.isMultiple(of: 2) else { return nil }
      for index in stride(from: 0, to: arguments.count, by: 2) {
        guard take(arguments[index], arguments[index + 1]) else { return nil }
      }
    }

    private mutating func take(_ name: String, _ value: String) -> Bool {
      switch name {
      case "--devices":
        guard let devices = Int(value), (1...1_000_000).contains(devices) else { return false }
        settings.devices = devices
      case "--outage-minutes":
        guard let minutes = Double(value), (0.01...600).contains(minutes) else { return false }
        settings.outageMilliseconds = Int64(minutes * 60_000)
      case "--alert-share":
        guard let share = Double(value), (0...0.5).contains(share) else { return false }
        settings.alertShare = share
      case "--seed":
        guard let seed = UInt64(value) else { return false }
        settings.seed = seed
      case "--plot": plot = value
      default: return false
      }
      return true
    }
  }
}
