public import AppModel
public import Dependencies
public import FoundationEssentials
public import Model

/// Raises, ends and follows alerts.
///
/// All endpoints work offline: what they need is on this device. None waits for the network, except where the device cannot
/// save: raising or ending an alert then sends it from memory first, which takes up to 20 seconds.
///
/// ```swift
/// @Dependency(\.alertClient) var alertClient
/// let startTime = try await alertClient.activateAlert()
/// ```
public struct AlertClient: Sendable {
  /// Raises an alert and returns its start time, or that of the alert that is already active. When it returns, the alert is durable on
  /// this device, with the messages to the responders queued.
  ///
  /// Throws only if the alert is NOT saved.
  public var activateAlert: @Sendable () async throws -> Date

  /// Ends every active alert and returns the newest end time; the messages that the person is safe are queued.
  ///
  /// Throws if none is active, and if the end could not be saved: the alert is then still active.
  public var deactivateAlert: @Sendable () async throws -> Date

  /// Ends the active alerts that a snapshot shows, and no more: what came since goes on, for the person has not seen it. Nil: ends what
  /// `deactivateAlert` does.
  ///
  /// Throws if none of them is active any more, and if the end could not be saved.
  public var deactivateShownAlerts: (@Sendable (_ shown: AlertSnapshot) async throws -> EndedAlerts)?

  /// Sends the responders of the active alert a message, a place, or both. When it returns, they are saved and queued. A message is a call
  /// for help: if the alert has ended on another device, it becomes a new one.
  ///
  /// Throws if no alert is active, and if it could not be saved: a message may have been sent from memory then, see `AlertSavingError`.
  public var updateAlert: @Sendable (_ message: String?, _ location: Location?) async throws -> Void

  /// The alerts so far: active ones first, then the newest first.
  public var getAlertHistory: @Sendable () async throws -> [AlertRecord]

  /// How the newest alert stands now.
  public var getAlertStatus: @Sendable () async throws -> AlertSnapshot

  /// How the newest alert stands: now, and again after each change, by this app, the server or another process of this device. The
  /// stream ends when the task that reads it is cancelled.
  public var snapshots: @Sendable () -> AsyncStream<AlertSnapshot>

  /// A client of these endpoints.
  public init(
    activateAlert: @escaping @Sendable () async throws -> Date,
    deactivateAlert: @escaping @Sendable () async throws -> Date,
    updateAlert: @escaping @Sendable (_ message: String?, _ location: Location?) async throws -> Void,
    getAlertHistory: @escaping @Sendable () async throws -> [AlertRecord],
    getAlertStatus: @escaping @Sendable () async throws -> AlertSnapshot,
    snapshots: @escaping @Sendable () -> AsyncStream<AlertSnapshot>,
    deactivateShownAlerts: (@Sendable (_ shown: AlertSnapshot) async throws -> EndedAlerts)? = nil
  ) {
    self.deactivateShownAlerts = deactivateShownAlerts
    self.activateAlert = activateAlert
    self.deactivateAlert = deactivateAlert
    self.updateAlert = updateAlert
    self.getAlertHistory = getAlertHistory
    self.getAlertStatus = getAlertStatus
    self.snapshots = snapshots
  }
}

extension AlertClient: TestDependencyKey {
  /// Every endpoint fails the test with its name.
  public static let testValue = Self(
    activateAlert: { try unimplemented("AlertClient.activateAlert") },
    deactivateAlert: { try unimplemented("AlertClient.deactivateAlert") },
    updateAlert: { _, _ in try unimplemented("AlertClient.updateAlert") },
    getAlertHistory: { try unimplemented("AlertClient.getAlertHistory") },
    getAlertStatus: { try unimplemented("AlertClient.getAlertStatus") },
    snapshots: { unimplemented("AlertClient.snapshots", placeholder: .finished) }
  )

  /// A client for a test, with the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    activateAlert: @escaping @Sendable () async throws -> Date = testValue.activateAlert,
    deactivateAlert: @escaping @Sendable () async throws -> Date = testValue.deactivateAlert,
    updateAlert: @escaping @Sendable (_ message: String?, _ location: Location?) async throws -> Void = testValue
      .updateAlert,
    getAlertHistory: @escaping @Sendable () async throws -> [AlertRecord] = testValue.getAlertHistory,
    getAlertStatus: @escaping @Sendable () async throws -> AlertSnapshot = testValue.getAlertStatus,
    snapshots: @escaping @Sendable () -> AsyncStream<AlertSnapshot> = testValue.snapshots,
    deactivateShownAlerts: (@Sendable (_ shown: AlertSnapshot) async throws -> EndedAlerts)? = nil
  ) -> Self {
    Self(
      activateAlert: activateAlert, deactivateAlert: deactivateAlert, updateAlert: updateAlert,
      getAlertHistory: getAlertHistory, getAlertStatus: getAlertStatus, snapshots: snapshots,
      deactivateShownAlerts: deactivateShownAlerts)
  }
}

extension DependencyValues {
  /// Raises, ends and follows alerts.
  public var alertClient: AlertClient {
    get { self[AlertClient.self] }
    set { self[AlertClient.self] = newValue }
  }
}
