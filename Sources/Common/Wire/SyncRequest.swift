package import Model

/// The body of `POST /v1/sync`: what the device sends, and how far it has read the server's changes.
package struct SyncRequest: Sendable {
  package var deviceID: DeviceID
  /// The cursor of the last answer; nil pulls from the start.
  package var cursor: String?
  /// The last answer's `newestCursor`, until the device has pulled up to it.
  package var newestCursor: String?
  package var mutations: [ReceivedMutation]
  package var notifications: [ReceivedNotification]
  /// The maximum number of changes in the answer; nil means `SyncLimits.maximumChanges`.
  package var limit: Int?
  /// The device's clock when it sent this. A device that omits it cannot read words that its version did not know.
  package var sentAt: Timestamp?
  /// How long ago each item happened, in milliseconds of a monotonic clock; unknown items are missing.
  package var ages: [MutationID: Int64] = [:]
}

/// The age of a mutation when it was sent.
package struct ItemAge: Hashable, Sendable {
  package var id: MutationID
  package var milliseconds: Int64

  package init(id: MutationID, milliseconds: Int64) {
    self.id = id
    self.milliseconds = milliseconds
  }
}

extension ItemAge: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    id = try json.identifier("id")
    milliseconds = Int64(try json.integer("age_ms"))
  }

  func write(to json: inout JSONWriter) {
    json.object {
      $0.member("id", id.description)
      $0.member("age_ms", milliseconds)
    }
  }
}

/// The limits of one exchange, shared by both sides.
package enum SyncLimits {
  /// The maximum number of mutations, and of notification requests, in one request.
  package static let maximumItems = 500
  package static let maximumChanges = 500
  /// The maximum size of any request's body. A larger one gets a 413.
  package static let maximumBodyBytes = 1 << 20
}

/// A received mutation: valid, or with the reason why this item alone is refused.
package enum ReceivedMutation: Sendable {
  case valid(Mutation)
  case invalid(id: MutationID, entityID: EntityID, code: String, message: String)

  package var id: MutationID {
    switch self {
    case .valid(let mutation): mutation.id
    case .invalid(let id, _, _, _): id
    }
  }

  package var entityID: EntityID {
    switch self {
    case .valid(let mutation): mutation.entityID
    case .invalid(_, let entityID, _, _): entityID
    }
  }
}

extension ReceivedMutation {
  /// The code of an item whose kind this server does not know. A later version may know it, so the refusal is not stored.
  package static let unknownKind = "unknown_kind"
}

/// A received notification request.
package enum ReceivedNotification: Sendable {
  case valid(NotificationRequest)
  case invalid(id: NotificationID, code: String, message: String)

  package var id: NotificationID {
    switch self {
    case .valid(let request): request.id
    case .invalid(let id, _, _): id
    }
  }
}

extension SyncRequest: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    deviceID = try json.identifier("device_id")
    cursor = try json.optionalString("cursor")
    newestCursor = try json.optionalString("newest_cursor")
    mutations = try json.optionalArray("mutations")?.bodies() ?? []
    notifications = try json.optionalArray("notifications")?.bodies() ?? []
    limit = try json.optionalInteger("limit")
    sentAt = (try? json.optionalTimestamp("sent_at")) ?? nil
    // Optional: unreadable ages must not refuse an alert.
    let known: [ItemAge] = try (try? json.optionalArray("ages"))??.readableBodies() ?? []
    ages = Dictionary(known.map { ($0.id, $0.milliseconds) }, uniquingKeysWith: { first, _ in first })
  }
}

extension ReceivedMutation: JSONBody {
  /// A wrong type throws, which refuses the whole request. An unknown kind, or a value that breaks a rule of the domain,
  /// refuses only this item.
  package init(json: JSONValue) throws(JSONError) {
    let id: MutationID = try json.identifier("id")
    guard let kind = Mutation.Kind(rawValue: try json.string("kind")) else {
      // The other members of an unknown kind are unknown too.
      let entityID = try? json.identifier("entity_id") as EntityID
      self = .invalid(
        id: id, entityID: entityID ?? EntityID(id), code: Self.unknownKind, message: "the server knows no such kind")
      return
    }
    let entityID: EntityID = try json.identifier("entity_id")
    let occurredAt = try json.timestamp("occurred_at")
    let read = try Mutation.Change.read(kind: kind, occurredAt: occurredAt, body: try json.optional("body"))
    do throws(InvalidInput) {
      let change = try read.get()
      try change.requireVisibleName()
      self = .valid(Mutation(id: id, entityID: entityID, occurredAt: occurredAt, change: change))
    } catch {
      self = .invalid(id: id, entityID: entityID, code: error.code.rawValue, message: error.message)
    }
  }
}

extension Mutation.Change {
  fileprivate func requireVisibleName() throws(InvalidInput) {
    switch self {
    case .putContact(let details): try ContactDetails.requireVisible(details.name)
    case .putProfile(let profile): try ContactDetails.requireVisible(profile.name)
    default: break
    }
  }
}

extension ReceivedNotification: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    let id: NotificationID = try json.identifier("id")
    guard let notice = Notice(rawValue: try json.string("kind")) else {
      self = .invalid(
        id: id, code: ReceivedMutation.unknownKind, message: "a notification is activated or deactivated")
      return
    }
    self = .valid(NotificationRequest(id: id, alertID: try json.identifier("alert_id"), notice: notice))
  }
}

/// Writes the body of `POST /v1/sync` from queued items, whose bodies are already JSON text.
package struct SyncRequestWriter {
  private var json = JSONWriter()

  /// A queued mutation: `body` is the JSON that `MutationBody` wrote when it was queued.
  package struct QueuedMutation: Hashable, Sendable {
    package var id: MutationID
    package var kind: Mutation.Kind
    package var entityID: EntityID
    package var occurredAt: Timestamp
    package var body: String

    package init(id: MutationID, kind: Mutation.Kind, entityID: EntityID, occurredAt: Timestamp, body: String) {
      self.id = id
      self.kind = kind
      self.entityID = entityID
      self.occurredAt = occurredAt
      self.body = body
    }
  }

  /// The whole body.
  package static func body(
    deviceID: DeviceID, cursor: String?, newestCursor: String? = nil, mutations: [QueuedMutation],
    notifications: [NotificationRequest], limit: Int, sentAt: Timestamp? = nil, ages: [ItemAge] = []
  ) -> [UInt8] {
    var writer = Self()
    writer.json.reserve(200 + mutations.reduce(0) { $0 + $1.body.utf8.count + 200 })
    writer.json.object { json in
      json.member("device_id", deviceID.description)
      json.member("cursor", cursor)
      if let newestCursor { json.member("newest_cursor", newestCursor) }
      json.key("mutations")
      json.array { for mutation in mutations { write(mutation, to: &$0) } }
      json.key("notifications")
      json.array { for notification in notifications { write(notification, to: &$0) } }
      json.member("limit", limit)
      if let sentAt { json.member("sent_at", sentAt.description) }
      guard !ages.isEmpty else { return }
      json.key("ages")
      json.array { for age in ages { age.write(to: &$0) } }
    }
    return writer.json.bytes
  }

  private static func write(_ mutation: QueuedMutation, to json: inout JSONWriter) {
    json.object {
      $0.member("id", mutation.id.description)
      $0.member("kind", mutation.kind.rawValue)
      $0.member("entity_id", mutation.entityID.description)
      $0.member("occurred_at", mutation.occurredAt.description)
      $0.key("body")
      $0.raw(mutation.body)
    }
  }

  private static func write(_ notification: NotificationRequest, to json: inout JSONWriter) {
    json.object {
      $0.member("id", notification.id.description)
      $0.member("alert_id", notification.alertID.description)
      $0.member("kind", notification.notice.rawValue)
    }
  }
}
