package import Model

/// The answer to `POST /v1/sync`.
package struct SyncResponse: Hashable, Sendable {
  /// One for each item that the server processed. An item after a rejected one of the same entity is not processed, has no
  /// result and stays queued on the device.
  package var results: [ItemResult]
  /// Items that the server will accept later: they have no result and stay queued on the device.
  package var waiting: [WaitingItem]
  package var changes: [Change]
  /// Opaque: the device sends it with the next request.
  package var cursor: String
  package var hasMore: Bool
  /// Opaque: the end of the account's changes at the time of this answer, if `cursor` has not reached it. The device sends it
  /// with the next requests until it gets there. A server that does not know it has lost data since (a restored backup).
  package var newestCursor: String?
  /// Identifies one unbroken history of this account on the server. A changed value means that the server was restored: the
  /// device pulls from the start and resubmits what the server no longer has.
  package var epoch: String
  package var serverTime: Timestamp
  /// The kinds of channels over which this server can send, as `Channel.Kind` names them; a newer server may name others. Nil from a
  /// server that does not say: it also ignores `only` in a drill.
  package var channels: [String]?

  package init(
    results: [ItemResult], changes: [Change], cursor: String, hasMore: Bool, newestCursor: String? = nil,
    epoch: String, serverTime: Timestamp, waiting: [WaitingItem] = [], channels: [String]? = nil
  ) {
    self.channels = channels
    self.results = results
    self.changes = changes
    self.cursor = cursor
    self.hasMore = hasMore
    self.newestCursor = newestCursor
    self.epoch = epoch
    self.serverTime = serverTime
    self.waiting = waiting
  }
}

/// An item that the server cannot accept yet.
package struct WaitingItem: Hashable, Sendable {
  /// The id of the mutation or of the notification request.
  package var id: String
  /// A stable code for the reason. An unknown code has no further meaning.
  package var code: String
  /// The minimum delay before a retry.
  package var retryAfterMilliseconds: Int64

  package init(id: String, code: String, retryAfterMilliseconds: Int64) {
    self.id = id
    self.code = code
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}

/// The result of one mutation or notification request.
package struct ItemResult: Hashable, Sendable {
  package enum Status: String, Sendable {
    /// Applied now.
    case applied
    /// Applied before under the same id: no further effect.
    case duplicate
    /// Refused permanently, with a code. The device parks it.
    case rejected
  }

  /// The id of the mutation or the notification request.
  package var id: String
  package var status: Status
  /// A stable code; only if rejected.
  package var code: String?
  /// One line for a person; only if rejected.
  package var message: String?
  /// When the server first applied it; nil if rejected.
  package var appliedAt: Timestamp?
  /// When the item's alert ended, by the clock of the device that ended it; nil while it is active.
  package var endedAt: Timestamp?
  /// With `newer_call_for_help`: the alert's newest update, which the next end must list as seen.
  package var newestUpdate: MutationID?

  /// The updated alert had already ended: the device turns the press into a new alert.
  package static let alertEnded = "alert_ended"
  /// The account has no such alert on the server.
  package static let unknownAlert = "unknown_alert"
  /// Another device called for help again, unseen by the device that ended the alert: it is still active.
  package static let newerCallForHelp = "newer_call_for_help"

  package init(
    id: String, status: Status, code: String? = nil, message: String? = nil, appliedAt: Timestamp? = nil,
    endedAt: Timestamp? = nil, newestUpdate: MutationID? = nil
  ) {
    self.endedAt = endedAt
    self.newestUpdate = newestUpdate
    self.id = id
    self.status = status
    self.code = code
    self.message = message
    self.appliedAt = appliedAt
  }
}

/// A change of the account since the cursor. It carries the complete new state, so missing an earlier change is harmless.
package enum Change: Hashable, Sendable {
  case alert(AlertRecord)
  case contact(ContactID, ContactRecord?)
  case receipt(Receipt)
  /// What the person says of themselves. An account has one, whose id is the account's.
  case profile(AccountID, Profile)
  /// An alert of somebody else, to whom this account's person is a responder; nil where they are no longer told of it.
  case inbox(InboxID, InboxAlert?)
}

/// An alert as the server holds it.
package struct AlertRecord: Hashable, Sendable {
  package var alert: Alert
  /// The server's ordinals. A device numbers its own alerts that no server has counted yet above this range.
  package static let ordinals: Range<Int64> = 1..<1 << 62

  /// The alert's number in the order in which the server first received the account's alerts, from 1.
  package var ordinal: Int64
  /// When the server stored the alert.
  package var receivedAt: Timestamp
  /// When the server stored the alert's end; nil while it is active.
  package var endReceivedAt: Timestamp?
  /// The newest call for help after the one that raised it; nil if there was none.
  package var newestUpdate: NewestUpdate?

  package init(
    alert: Alert, ordinal: Int64, receivedAt: Timestamp, endReceivedAt: Timestamp?, newestUpdate: NewestUpdate? = nil
  ) {
    self.newestUpdate = newestUpdate
    self.alert = alert
    self.ordinal = ordinal
    self.receivedAt = receivedAt
    self.endReceivedAt = endReceivedAt
  }
}

extension AlertRecord {
  /// The person's latest message.
  package var newestMessage: String? { newestUpdate?.update.message ?? alert.message }
  /// The person's latest known location.
  package var newestLocation: Location? { newestUpdate?.update.location ?? alert.location }
}

/// A contact as the server holds it.
package struct ContactRecord: Hashable, Sendable {
  package var details: ContactDetails
  /// The key that signs its webhooks: `whsec_` plus base64, as in Standard Webhooks.
  package var webhookSecret: String
  /// Those of its channels through which the contact answered a drill. Empty from a server that does not know.
  package var tested: [TestedChannel]
  /// Those of its channels over which a message failed for good, and none got through since. Empty from a server that does not know.
  package var failed: [FailedChannel]

  package init(
    details: ContactDetails, webhookSecret: String, tested: [TestedChannel] = [], failed: [FailedChannel] = []
  ) {
    self.details = details
    self.webhookSecret = webhookSecret
    self.tested = tested
    self.failed = failed
  }
}

extension SyncResponse: JSONBody {
  /// Results and changes are read one by one, and unreadable ones are skipped. An item without a readable result counts as
  /// unanswered and stays queued.
  package init(json: JSONValue) throws(JSONError) {
    results = try json.array("results").readableBodies()
    changes = try json.array("changes").readableBodies()
    cursor = try json.opaque("cursor")
    hasMore = try json.boolean("has_more")
    newestCursor = try? json.opaque("newest_cursor")
    epoch = try json.opaque("epoch")
    serverTime = try json.timestamp("server_time")
    waiting = try json.optionalArray("waiting")?.readableBodies() ?? []
    channels = try? json.optionalArray("channels")?.readableWords()
  }

  /// The whole body.
  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.reserve(300 + results.count * 120 + changes.count * 400)
    json.object { json in
      json.key("results")
      json.array { for result in results { result.write(to: &$0) } }
      json.key("changes")
      json.array { for change in changes { change.write(to: &$0) } }
      json.member("cursor", cursor)
      json.member("has_more", hasMore)
      if let newestCursor { json.member("newest_cursor", newestCursor) }
      json.member("epoch", epoch)
      json.member("server_time", serverTime.description)
      if let channels {
        json.key("channels")
        json.array { for kind in channels { $0.string(kind) } }
      }
      guard !waiting.isEmpty else { return }
      json.key("waiting")
      json.array { for item in waiting { item.write(to: &$0) } }
    }
    return json.bytes
  }
}

extension WaitingItem: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    id = try json.string("id")
    code = try json.string("code")
    retryAfterMilliseconds = Int64(try json.integer("retry_after_ms"))
  }

  func write(to json: inout JSONWriter) {
    json.object {
      $0.member("id", id)
      $0.member("code", code)
      $0.member("retry_after_ms", retryAfterMilliseconds)
    }
  }
}

extension ItemResult: JSONBody {
  /// Only the id and the status are required. Unreadable other members count as missing.
  package init(json: JSONValue) throws(JSONError) {
    id = try json.string("id")
    status = try json.choice("status")
    code = (try? json.optionalString("code"))??.foreignLine
    message = (try? json.optionalString("message"))??.foreignLine
    appliedAt = (try? json.optionalTimestamp("applied_at")) ?? nil
    endedAt = (try? json.optionalTimestamp("ended_at")) ?? nil
    newestUpdate = (try? json.optionalString("newest_update")).flatMap { $0 }.flatMap { MutationID($0) }
  }

  func write(to json: inout JSONWriter) {
    json.object {
      $0.member("id", id)
      $0.member("status", status.rawValue)
      if let code { $0.member("code", code) }
      if let message { $0.member("message", message) }
      if let appliedAt { $0.member("applied_at", appliedAt.description) }
      if let endedAt { $0.member("ended_at", endedAt.description) }
      if let newestUpdate { $0.member("newest_update", newestUpdate.description) }
    }
  }
}
