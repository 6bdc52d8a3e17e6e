public import Dependencies

/// Has responders told.
///
/// What they are to be told is queued in the alert's own transaction, so nothing is lost where an endpoint fails: it only
/// hurries what would happen anyway. A failure is to be logged and never shown as one of the alert.
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

  /// A client for a test, of the endpoints that the test expects to be called; any other fails it by name.
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
