/// The results of a herd run. Rates are requests per second that reach the server's address, whether or not it is up.
///
/// **The steady rate** is what the same devices ask of the same server in the half hour before the outage, in full: the
/// supervision of active alerts (one request in 25 s each), alerts and their follow-ups, contacts, and the hourly renewal of
/// each event stream with its token and fetch. It is a mean, because servers are sized by the mean.
///
/// **The peak** is the busiest ten seconds after the server's return. Single seconds vary: at a mean of 18 requests per second,
/// chance alone gives the busiest second of half an hour some 37. So single seconds are compared with the busiest second of
/// normal life.
package struct HerdReport: Sendable {
  package struct Rates: Sendable {
    package var mean: Double
    package var busiestTenSeconds: Double
    package var busiestSecond: Double
    /// Mean rates by kind of request, in the order of `HerdRequest.Kind`.
    package var kinds: [(name: String, mean: Double)]
  }

  package let settings: HerdSettings
  package let steady: Rates
  package let outage: Rates
  package let after: Rates
  /// The longest that an alert or an end waited to be accepted, counted from the server's return if it was saved before that.
  package let longestAlertWaitSeconds: Double
  package let longestAlertWaitInNormalLifeSeconds: Double
  package let alertsSavedInOutage: Int
  package let alertsAccepted: Int
  /// Never accepted, although there was time.
  package let alertsLeft: Int
  /// When half of the devices, and all of them, had their stream back, from the server's return.
  package let halfOfStreamsBackSeconds: Double
  package let streamsBackSeconds: Double
  package let requests: Int
  /// Requests answered 503, before and after the outage.
  package let unavailable: Int
}

extension HerdReport {
  /// The limit for the peak.
  package var boundPerSecond: Double { max(HerdBounds.ratio * steady.mean, HerdBounds.smallPerSecond) }

  package var ratio: Double { after.busiestTenSeconds / steady.mean }
  package var ratioOfBusiestTenSeconds: Double { after.busiestTenSeconds / steady.busiestTenSeconds }
  package var ratioOfSingleSeconds: Double { after.busiestSecond / steady.busiestSecond }
  package var ratioOfSingleSecondToMean: Double { after.busiestSecond / steady.mean }

  /// The broken limits, a sentence each.
  package var violations: [String] {
    var violations: [String] = []
    if after.busiestTenSeconds > boundPerSecond {
      violations.append(
        "the peak is \(after.busiestTenSeconds.text(1)) requests a second, more than \(boundPerSecond.text(1))")
    }
    if steady.busiestSecond > 0,
      after.busiestSecond > HerdBounds.ratio * max(steady.busiestSecond, HerdBounds.smallPerSecond)
    {
      violations.append(
        "a single second has \(after.busiestSecond.text(0)) requests, where normal life has \(steady.busiestSecond.text(0))"
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
    busiestSecond = Double(all.max() ?? 0)
    busiestTenSeconds = all.smoothed(over: 10).max() ?? mean
    kinds = HerdRequest.Kind.allCases.map { ("\($0)", counts.rate($0, seconds)) }
  }
}

extension Double {
  /// The numbers in the text and the JSON. A value that is not a number, such as a ratio to zero, is null.
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
