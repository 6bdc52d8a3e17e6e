import Arguments
import Glibc
import Simulator

/// `lifesignal-simulate herd`: thousands of devices and an outage of the server.
///
/// Two runs, an outage and a two-second restart, with one line of JSON each. Exit status 1 if a limit was broken.
enum HerdCommand {
  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    let options = try Options(invocation)
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

    init(_ invocation: Invocation) throws(UsageError) {
      if let devices = try invocation.read("devices", "a number from 1 to 1000000", { within(Int($0), 1...1_000_000) })
      {
        settings.devices = devices
      }
      let minutes = try invocation.read("outage-minutes", "a number from 0.01 to 600") {
        within(Double($0), 0.01...600)
      }
      if let minutes { settings.outageMilliseconds = Int64(minutes * 60_000) }
      let share = try invocation.read("alert-share", "a number from 0 to 0.5") { within(Double($0), 0...0.5) }
      if let share { settings.alertShare = share }
      if let seed = try invocation.read("seed", "a number from 0 on", { UInt64($0) }) { settings.seed = seed }
      plot = invocation.value("plot")
    }
  }

  private static func within<Number: Comparable>(_ number: Number?, _ range: ClosedRange<Number>) -> Number? {
    number.flatMap { range.contains($0) ? $0 : nil }
  }
}
