extension HerdReport {
  /// One JSON object on one line.
  package func json(scenario: String, seconds: Double) -> String {
    let fields: [(String, String)] = [
      ("scenario", quoted(scenario)), ("devices", "\(settings.devices)"), ("seed", "\(settings.seed)"),
      ("alert_share", settings.alertShare.text(4)),
      ("outage_seconds", (Double(settings.outageMilliseconds) / 1000).text(0)),
      ("capacity_per_second", settings.capacityPerSecond.text(0)),
      ("steady_per_second", steady.mean.text(2)), ("peak_per_second", after.busiestTenSeconds.text(2)),
      ("bound_per_second", boundPerSecond.text(2)), ("ratio", ratio.text(2)),
      ("ratio_of_busiest_ten_seconds", ratioOfBusiestTenSeconds.text(2)),
      ("ratio_of_single_seconds", ratioOfSingleSeconds.text(2)),
      ("ratio_of_single_second_to_mean", ratioOfSingleSecondToMean.text(2)),
      ("longest_alert_wait_seconds", longestAlertWaitSeconds.text(2)),
      ("longest_alert_wait_in_normal_life_seconds", longestAlertWaitInNormalLifeSeconds.text(2)),
      ("alerts_saved_in_outage", "\(alertsSavedInOutage)"), ("alerts_accepted", "\(alertsAccepted)"),
      ("alerts_left", "\(alertsLeft)"), ("half_of_streams_back_seconds", halfOfStreamsBackSeconds.text(0)),
      ("streams_back_seconds", streamsBackSeconds.text(0)), ("requests", "\(requests)"),
      ("unavailable", "\(unavailable)"), ("steady", steady.json), ("outage", outage.json), ("after", after.json),
      ("violations", "[" + violations.map(quoted).joined(separator: ",") + "]"), ("seconds", seconds.text(1)),
    ]
    return object(fields)
  }
}

extension HerdReport.Rates {
  fileprivate var json: String {
    object([
      ("mean", mean.text(2)), ("busiest_ten_seconds", busiestTenSeconds.text(2)),
      ("busiest_second", busiestSecond.text(0)), ("kinds", object(kinds.map { ($0.name, $0.mean.text(2)) })),
    ])
  }
}

/// These texts are constants without quotation marks.
private func quoted(_ text: String) -> String { "\"" + text + "\"" }

private func object(_ fields: [(String, String)]) -> String {
  "{" + fields.map { quoted($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
}
