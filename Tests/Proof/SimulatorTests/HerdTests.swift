import ChildPrograms
import TestSupport
import Testing

@testable import Simulator

/// A herd small enough for a debug build. `tools/torture herd` runs 10,000 devices.
@Suite(.computing, .enabled(if: !ThreadSanitizer.isOn, "it runs many devices on one thread"))
struct `A herd` {
  /// Fewer devices and shorter times. With so few devices the limits apply to single seconds, and a server of any size
  /// handles forty requests a second.
  private static func settings(_ devices: Int = 200) -> HerdSettings {
    var settings = HerdSettings()
    settings.devices = devices
    settings.warmUpMilliseconds = 910_000
    settings.normalMilliseconds = 900_000
    settings.afterMilliseconds = 1_500_000
    settings.capacityPerSecond = 40
    return settings
  }

  private static func report(_ settings: HerdSettings) -> HerdReport {
    var run = HerdRun(settings)
    run.perform()
    return HerdReport(run)
  }

  @Test func `returns from an outage of ten minutes without a stampede, and every alert is accepted within a minute`() {
    let report = Self.report(Self.settings())
    #expect(report.violations == [])
    #expect(report.steady.mean > 0.1)
    #expect(report.alertsAccepted > 0)
    #expect(report.unavailable == 0)
  }

  @Test func `returns from a restart without a stampede`() {
    let report = Self.report(Self.settings().restart)
    #expect(report.violations == [])
    #expect(report.streamsBackSeconds > 100)
    #expect(report.streamsBackSeconds < 400)
  }

  /// At 25 s each of the 200 devices would hear 156.
  @Test func `hears ever fewer heartbeats`() {
    var run = HerdRun(Self.settings())
    run.perform()
    #expect(run.heartbeats < 200 * 156 / 2, "\(run.heartbeats)")
  }

  /// Proves that a stampede would break the limits.
  @Test func `stampedes if the server does not say how long to spread`() {
    var settings = Self.settings(300).restart
    settings.announcesSpread = false
    #expect(Self.report(settings).violations != [])
  }

  @Test func `repeats with its seed, and differs with another`() {
    var settings = Self.settings(30)
    let first = Self.report(settings).json(scenario: "outage", seconds: 0)
    #expect(Self.report(settings).json(scenario: "outage", seconds: 0) == first)
    settings.seed = 2
    #expect(Self.report(settings).json(scenario: "outage", seconds: 0) != first)
  }

  @Test func `can be drawn`() {
    var run = HerdRun(Self.settings(30))
    run.perform()
    var plot = HerdPlot()
    plot.panels = [("one", run), ("two", run)]
    #expect(plot.svg.hasPrefix("<svg "))
    #expect(plot.svg.hasSuffix("</svg>\n"))
    #expect(plot.svg.utf8.count < 60_000)
    #expect(plot.svg.components(of: "class=\"away\"") == 3, "one area in each panel, and one in the legend")
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
