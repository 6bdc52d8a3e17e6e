/// What a run of the herd showed. Rates are requests a second, as they come to where the server is, or should be.
///
/// **The steady rate** is what the same devices ask of the same server in the half hour before the outage, with nothing left
/// out and nothing added: the supervision of active alerts (one request in 25 s each), alerts and what follows from them,
/// contacts, and the renewal of each event stream after an hour, with the token and the fetching that go with it. It is a
/// mean, because that is what a server is sized by.
///
/// **The peak** is the fullest ten seconds after the server's return. Single seconds scatter: where 18 requests come in a
/// second on average, the fullest second of half an hour has some 37 by chance alone. So they are compared with the fullest
/// single second of normal life.
package struct HerdReport: Sendable {
  package struct Rates: Sendable {
    package var mean: Double
    package var fullestTenSeconds: Double
    package var fullestSecond: Double
    /// Means of the kinds of requests, in the order of `HerdRequest.Kind`.
    package var kinds: [(name: String, mean: Double)]
  }

  package let settings: HerdSettings
  package let steady: Rates
  package let outage: Rates
  package let after: Rates
  /// The longest that an alert, or the end of one, waited to be accepted; from the server's return where that was later.
  package let longestAlertWaitSeconds: Double
  package let longestAlertWaitInNormalLifeSeconds: Double
  package let alertsSavedInOutage: Int
  package let alertsAccepted: Int
  /// Never accepted, though there was time.
  package let alertsLeft: Int
  /// When half of the devices, and all of them, had their stream again, from the server's return.
  package let halfOfStreamsBackSeconds: Double
  package let streamsBackSeconds: Double
  package let requests: Int
  /// Answered 503, before and after the outage.
  package let unavailable: Int
}

extension HerdReport {
  /// The peak may be so much.
  package var boundPerSecond: Double { max(HerdBounds.ratio * steady.mean, HerdBounds.smallPerSecond) }

  package var ratio: Double { after.fullestTenSeconds / steady.mean }
  package var ratioOfFullestTenSeconds: Double { after.fullestTenSeconds / steady.fullestTenSeconds }
  package var ratioOfSingleSeconds: Double { after.fullestSecond / steady.fullestSecond }
  package var ratioOfSingleSecondToMean: Double { after.fullestSecond / steady.mean }

  /// What broke a bound, a sentence each.
  package var violations: [String] {
    var violations: [String] = []
    if after.fullestTenSeconds > boundPerSecond {
      violations.append(
        "the peak is \(after.fullestTenSeconds.text(1)) requests a second, more than \(boundPerSecond.text(1))")
    }
    if steady.fullestSecond > 0,
      after.fullestSecond > HerdBounds.ratio * max(steady.fullestSecond, HerdBounds.smallPerSecond)
    {
      violations.append(
        "a single second has \(after.fullestSecond.text(0)) requests, where normal life has \(steady.fullestSecond.text(0))"
      )
    }
    let longest = max(longestAlertWaitSeconds, longestAlertWaitInNormalLifeSeconds)
    if longest > HerdBounds.alertSeconds { violations.append("an alert waited \(longest.text(1)) s") }
    if alertsLeft > 0 { violations.append("\(alertsLeft) alerts were never accepted") }
    return violations
  }

  package init(_ run: HerdRun) {
    let settings = run.settings
    self.settings = settings
    let start = Int(settings.outageStart / 1000)
    let back = Int((settings.outageEnd + 999) / 1000)
    steady = Rates(run.counts, Int(settings.warmUpMilliseconds / 1000)..<start)
    outage = Rates(run.counts, start..<back)
    after = Rates(run.counts, back..<Int(settings.end / 1000))
    longestAlertWaitSeconds = Double(run.waits.longestAfterReturn) / 1000
    longestAlertWaitInNormalLifeSeconds = Double(run.waits.longestInNormalLife) / 1000
    alertsSavedInOutage = run.waits.savedInOutage
    alertsAccepted = run.waits.accepted
    alertsLeft = run.devices.reduce(0) { sum, device in
      sum + device.waiting.count { $0.savedAt < settings.end - Int64(HerdBounds.alertSeconds * 1000) }
    }
    let streamsBack = run.streamsBackAt.sorted()
    halfOfStreamsBackSeconds =
      streamsBack.isEmpty ? 0 : Double(streamsBack[streamsBack.count / 2] - settings.outageEnd) / 1000
    streamsBackSeconds = streamsBack.last.map { Double($0 - settings.outageEnd) / 1000 } ?? 0
    requests = run.counts.total
    unavailable = run.unavailable
  }
}

extension HerdReport.Rates {
  init(_ counts: HerdCounts, _ seconds: Range<Int>) {
    let all = counts.perSecond(seconds)
    mean = all.mean
    fullestSecond = Double(all.max() ?? 0)
    fullestTenSeconds = all.smoothed(over: 10).max() ?? mean
    kinds = HerdRequest.Kind.allCases.map { ("\($0)", counts.rate($0, seconds)) }
  }
}

extension Double {
  /// As a person reads it, and JSON too; what is no number, as the ratio to a rate of nothing, is null.
  func text(_ decimals: Int) -> String {
    guard isFinite else { return "null" }
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let scaled = Int64((magnitude * scale).rounded())
    let whole = "\(self < 0 && scaled > 0 ? "-" : "")\(scaled / Int64(scale))"
    guard decimals > 0 else { return whole }
    let part = String(scaled % Int64(scale))
    return whole + "." + String(repeating: "0", count: decimals - part.count) + part
  }
}
