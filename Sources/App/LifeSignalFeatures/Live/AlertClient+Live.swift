public import Clients
public import LifeSignal

extension AlertClient {
  /// Alerts of the device of `client`. No endpoint waits for the network, except where the device cannot save: an
  /// alert, or its end, is then sent from memory first.
  ///
  /// The history holds the newest 1,000 alerts.
  public static func live(_ client: LifeSignalClient) -> AlertClient {
    AlertClient(
      activateAlert: { try await client.activateAlert().startTime },
      deactivateAlert: {
        let ends = try await client.deactivateAlerts().compactMap(\.endTime)
        guard let newest = ends.max() else { throw LifeSignalError.noAlertIsActive }
        return newest
      },
      updateAlert: { try await client.updateAlert(message: $0, location: $1) },
      getAlertHistory: { try await client.history(limit: 1000) },
      getAlertStatus: { try await client.status() },
      snapshots: { client.statuses() }
    )
  }
}
