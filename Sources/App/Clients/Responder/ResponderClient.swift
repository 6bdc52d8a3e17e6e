public import AppModel
public import Dependencies
public import Model

/// The alerts of others, to whom this account's person is a responder, and the answers to them.
///
/// Answers are saved on this device and sent with the next exchange: all endpoints work offline.
public struct ResponderClient: Sendable {
  /// The received alerts: active ones first, then ended ones; the newest first in each.
  public var list: @Sendable () async throws -> [ReceivedAlert]

  /// The same: now, and again after each change, by this app, the server or another process of this device. The stream ends when the task
  /// that reads it is cancelled.
  public var alerts: @Sendable () -> AsyncStream<[ReceivedAlert]>

  /// Answers an alert, with a line for the person in danger. When it returns, the answer is saved and queued. The newest one counts.
  /// Called as `respond(to:with:text:)`.
  ///
  /// Throws if the alert is unknown or has ended, and if the answer could not be saved.
  public var respond:
    @Sendable (_ id: ReceivedAlert.ID, _ answer: ReceivedAlert.Answer.Kind, _ text: String?) async throws -> Void

  /// Notes that the person has opened an alert: the person in danger sees it. Only for an action of the person, never for showing a list.
  /// Throws if it could not be saved.
  public var noteSeen: @Sendable (_ id: ReceivedAlert.ID) async throws -> Void

  /// A client of these endpoints.
  public init(
    list: @escaping @Sendable () async throws -> [ReceivedAlert],
    alerts: @escaping @Sendable () -> AsyncStream<[ReceivedAlert]>,
    respond:
      @escaping @Sendable (_ id: ReceivedAlert.ID, _ answer: ReceivedAlert.Answer.Kind, _ text: String?)
      async throws -> Void,
    noteSeen: @escaping @Sendable (_ id: ReceivedAlert.ID) async throws -> Void
  ) {
    self.list = list
    self.alerts = alerts
    self.respond = respond
    self.noteSeen = noteSeen
  }

  /// Answers the alert with this id, with a line for the person in danger.
  public func respond(
    to id: ReceivedAlert.ID, with answer: ReceivedAlert.Answer.Kind, text: String? = nil
  ) async throws {
    try await respond(id, answer, text)
  }
}

extension ResponderClient: TestDependencyKey {
  /// Every endpoint fails the test with its name.
  public static let testValue = Self(
    list: { try unimplemented("ResponderClient.list") },
    alerts: { unimplemented("ResponderClient.alerts", placeholder: .finished) },
    respond: { _, _, _ in try unimplemented("ResponderClient.respond") },
    noteSeen: { _ in try unimplemented("ResponderClient.noteSeen") }
  )

  /// A client for a test, with the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    list: @escaping @Sendable () async throws -> [ReceivedAlert] = testValue.list,
    alerts: @escaping @Sendable () -> AsyncStream<[ReceivedAlert]> = testValue.alerts,
    respond:
      @escaping @Sendable (_ id: ReceivedAlert.ID, _ answer: ReceivedAlert.Answer.Kind, _ text: String?)
      async throws -> Void = testValue.respond,
    noteSeen: @escaping @Sendable (_ id: ReceivedAlert.ID) async throws -> Void = testValue.noteSeen
  ) -> Self {
    Self(list: list, alerts: alerts, respond: respond, noteSeen: noteSeen)
  }
}

extension DependencyValues {
  /// The alerts of others, and the answers to them.
  public var responderClient: ResponderClient {
    get { self[ResponderClient.self] }
    set { self[ResponderClient.self] = newValue }
  }
}
