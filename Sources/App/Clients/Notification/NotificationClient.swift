public import Dependencies

/// Has the responders told at once.
///
/// The message is queued in the alert's own transaction, so nothing is lost if an endpoint fails: it only sends earlier what would be
/// sent anyway. Log a failure, and never show it as a failure of the alert.
public struct NotificationClient: Sendable {
  /// Has them told at once that the person needs help.
  public var notifyRespondersOfAlert: @Sendable () async throws -> Void

  /// Has them told at once that the person is safe.
  public var notifyRespondersOfAlertDeactivation: @Sendable () async throws -> Void

  /// A client of these endpoints.
  public init(
    notifyRespondersOfAlert: @escaping @Sendable () async throws -> Void,
    notifyRespondersOfAlertDeactivation: @escaping @Sendable () async throws -> Void
  ) {
    self.notifyRespondersOfAlert = notifyRespondersOfAlert
    self.notifyRespondersOfAlertDeactivation = notifyRespondersOfAlertDeactivation
  }
}

extension NotificationClient: TestDependencyKey {
  /// Every endpoint fails the test with its name.
  public static let testValue = Self(
    notifyRespondersOfAlert: { try unimplemented("NotificationClient.notifyRespondersOfAlert") },
    notifyRespondersOfAlertDeactivation: {
      try unimplemented("NotificationClient.notifyRespondersOfAlertDeactivation")
    }
  )

  /// A client for a test, with the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    notifyRespondersOfAlert: @escaping @Sendable () async throws -> Void = testValue.notifyRespondersOfAlert,
    notifyRespondersOfAlertDeactivation: @escaping @Sendable () async throws -> Void =
      testValue.notifyRespondersOfAlertDeactivation
  ) -> Self {
    Self(
      notifyRespondersOfAlert: notifyRespondersOfAlert,
      notifyRespondersOfAlertDeactivation: notifyRespondersOfAlertDeactivation)
  }
}

extension DependencyValues {
  /// Has responders told.
  public var notificationClient: NotificationClient {
    get { self[NotificationClient.self] }
    set { self[NotificationClient.self] = newValue }
  }
}
