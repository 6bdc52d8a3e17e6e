import Model
import SystemKit
import Testing
import Wire

@testable import ServerCore

/// A signed-in device for tests of the server: it keeps its cursor and makes ids.
final class AlertsDevice: Sendable {
  let server: AlertsServer
  let session: SessionResponse
  let id: DeviceID
  private let cursor = Lock<String?>(nil)
  /// The position in the last answer that had more pages.
  private let newestCursor = Lock<String?>(nil)
  private static let numbers = Lock<UInt64>(0)

  init(server: AlertsServer, session: SessionResponse) {
    self.server = server
    self.session = session
    id = Self.identifier()
  }

  /// Makes another device of the same account.
  func another() -> AlertsDevice { AlertsDevice(server: server, session: session) }

  var account: AccountID { session.user.id }
  var token: String { session.tokens.accessToken }

  static func identifier<Subject>() -> Identifier<Subject> {
    let number = numbers.withLock {
      $0 += 1
      return $0
    }
    return Identifier(versionSevenAt: AlertsServer.start, random: (number, number))
  }

  // Items.

  func activation(
    _ alert: AlertID = identifier(), startedAt: Timestamp? = nil, message: String? = nil, location: Location? = nil,
    isDrill: Bool = false, offset: Int? = nil
  ) -> Mutation {
    let startedAt = startedAt ?? server.now
    return mutation(
      EntityID(alert), startedAt,
      .activateAlert(
        AlertActivation(
          startedAt: startedAt, message: message, location: location, isDrill: isDrill, utcOffsetMinutes: offset)))
  }

  func deactivation(_ alert: AlertID, endedAt: Timestamp? = nil) -> Mutation {
    let endedAt = endedAt ?? server.now
    return mutation(EntityID(alert), endedAt, .deactivateAlert(AlertDeactivation(endedAt: endedAt)))
  }

  func contact(
    _ contact: ContactID = identifier(), _ name: String = "Ana", phone: String = "+12025550199", _ channels: String...,
    isResponder: Bool = true, tier: Int = 1
  ) throws -> Mutation {
    try self.contact(contact, name, phone: phone, channels: channels, isResponder: isResponder, tier: tier)
  }

  func contact(
    _ contact: ContactID, _ name: String, phone: String, channels: [String], isResponder: Bool = true, tier: Int
  ) throws -> Mutation {
    let details = try ContactDetails(
      name: name, phone: phone, isResponder: isResponder, isDependent: false,
      channels: channels.map { try Channel($0) }, tier: tier)
    return mutation(EntityID(contact), server.now, .putContact(details))
  }

  func removal(_ contact: EntityID) -> Mutation { mutation(contact, server.now, .removeContact) }

  func mutation(_ entity: EntityID, _ time: Timestamp, _ change: Mutation.Change) -> Mutation {
    Mutation(id: Self.identifier(), entityID: entity, occurredAt: time, change: change)
  }

  func notification(_ notice: Notice, _ alert: AlertID) -> NotificationRequest {
    NotificationRequest(id: Self.identifier(), alertID: alert, notice: notice)
  }

  // Calls.

  /// Runs an exchange, and keeps the cursor of the answer unless the exchange uses the alert key.
  @discardableResult
  func sync(
    _ mutations: [Mutation] = [], _ notifications: [NotificationRequest] = [], limit: Int = 500,
    usesAlertKey: Bool = false
  ) throws -> SyncResponse {
    let outcome = exchange(mutations, notifications, limit: limit, usesAlertKey: usesAlertKey)
    try #require(outcome.status == 200, "\(outcome.text)")
    let response = try SyncResponse(jsonBytes: outcome.body)
    if !usesAlertKey {
      cursor.withLock { $0 = response.cursor }
      newestCursor.withLock { $0 = response.newestCursor }
    }
    return response
  }

  func exchange(
    _ mutations: [Mutation] = [], _ notifications: [NotificationRequest] = [], limit: Int = 500,
    usesAlertKey: Bool = false, sentAt: Timestamp? = nil, ages: [ItemAge] = []
  ) -> ServerOutcome {
    let queued = mutations.map {
      SyncRequestWriter.QueuedMutation(
        id: $0.id, kind: $0.change.kind, entityID: $0.entityID, occurredAt: $0.occurredAt,
        body: MutationBody.text(of: $0.change))
    }
    let body = SyncRequestWriter.body(
      deviceID: id, cursor: usesAlertKey ? nil : cursor.withLock { $0 },
      newestCursor: usesAlertKey ? nil : newestCursor.withLock { $0 }, mutations: queued, notifications: notifications,
      limit: limit, sentAt: sentAt, ages: ages)
    return server.send("POST", Route.sync, body, token: usesAlertKey ? session.alertKey : token)
  }

  func get(_ path: String, _ query: [String: String] = [:]) -> ServerOutcome {
    server.send("GET", path, query: query, token: token)
  }

  /// Raises an alert with its notification request.
  func raise(
    startedAt: Timestamp? = nil, message: String? = nil, location: Location? = nil, isDrill: Bool = false,
    offset: Int? = nil
  ) throws -> AlertID {
    let mutation = activation(
      startedAt: startedAt, message: message, location: location, isDrill: isDrill, offset: offset)
    let alert = AlertID(mutation.entityID)
    let response = try sync([mutation], [notification(.activated, alert)])
    try #require(response.results.map(\.status) == [.applied, .applied])
    return alert
  }

  /// Ends an alert with its notification request.
  func end(_ alert: AlertID, endedAt: Timestamp? = nil) throws {
    let response = try sync([deactivation(alert, endedAt: endedAt)], [notification(.deactivated, alert)])
    try #require(response.results.map(\.status) == [.applied, .applied])
  }

  /// The alert's receipts, sorted by the contact's name. They are read from the store, because an access token is valid
  /// for only an hour.
  func receipts(_ alert: AlertID) throws -> [Receipt] {
    try server.store.read { try $0.deliveries(of: alert, account: account).filter(\.hasReceipt).map(\.receipt) }
  }
}

extension SyncResponse {
  var statuses: [ItemResult.Status] { results.map(\.status) }
  var codes: [String?] { results.map(\.code) }

  var alerts: [AlertRecord] {
    changes.compactMap { if case .alert(let record) = $0 { record } else { nil } }
  }

  var receipts: [Receipt] {
    changes.compactMap { if case .receipt(let receipt) = $0 { receipt } else { nil } }
  }
}
