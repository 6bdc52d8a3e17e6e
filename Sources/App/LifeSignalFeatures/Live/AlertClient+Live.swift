import AppModel
public import Clients
import FoundationEssentials
public import LifeSignal

extension AlertClient {
  /// Alerts of the device of `client`. No endpoint waits for the network, except where the device cannot save: an
  /// alert, or its end, is then sent from memory first.
  ///
  /// The history holds the newest 1,000 alerts.
  public static func live(_ client: LifeSignalClient) -> AlertClient {
    AlertClient(
      activateAlert: { try await client.activateAlert().startTime },
      deactivateAlert: { try await newestEnd(of: client.deactivateAlerts(), on: client) },
      updateAlert: { try await client.updateAlert(message: $0, location: $1) },
      getAlertHistory: { try await client.history(limit: 1000) },
      getAlertStatus: { try await client.status() },
      snapshots: { client.statuses() },
      deactivateShownAlerts: { shown in
        let endTime = try await newestEnd(of: client.deactivateAlerts(shownIn: shown), on: client)
        return EndedAlerts(endTime: endTime, activeCount: (try? await client.status())?.activeCount)
      }
    )
  }

  /// Throws if none was ended, and says what is known of others.
  private static func newestEnd(of ended: [LifeSignalClient.Alert], on client: LifeSignalClient) async throws -> Date {
    if let newest = ended.compactMap(\.endTime).max() { return newest }
    switch (try? await client.status())?.activeCount {
    case 0: throw LifeSignalError.noAlertIsActive
    case nil: throw LifeSignalError(.noActiveAlert, "it cannot be read whether an alert is active")
    default:
      throw LifeSignalError(
        .noActiveAlert, "what was to be ended has ended already, and another alert is active")
    }
  }
}

extension AlertSnapshot {
  /// How many alerts are active; nil if that is unknown.
  fileprivate var activeCount: Int? {
    guard storeProblem == nil, unreadableAlert == nil else { return nil }
    return isActive ? 1 + otherActive.count : 0
  }
}
