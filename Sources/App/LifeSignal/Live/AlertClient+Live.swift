extension AlertClient {
  /// Alerts of the device that `client` stands for. No endpoint waits for the network.
  ///
  /// The history holds the newest 1,000 alerts.
  public static func live(_ client: LifeSignalClient) -> AlertClient {
    AlertClient(
      activateAlert: { try await client.activateAlert().alert.startedAt.date },
      deactivateAlert: {
        let ends = try await client.deactivateAlerts().compactMap(\.endedAt)
        guard let newest = ends.max() else { throw LifeSignalError(.noActiveAlert, "no alert is active") }
        return newest.date
      },
      getAlertHistory: { try await client.alertRecords(limit: 1000) },
      getAlertStatus: {
        let alert = try await client.status().alert
        return AlertStatus(isActive: alert?.isActive ?? false, startTime: alert?.startedAt.date)
      },
      snapshots: { client.alertSnapshots() }
    )
  }
}
