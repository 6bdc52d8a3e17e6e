package import Model

/// The answer to `POST /v1/sync`.
package struct SyncResponse: Hashable, Sendable {
  /// One for each item that was tried. An item behind a rejected one of the same entity is not tried, has no result
  /// and stays queued on the device.
  package var results: [ItemResult]
  /// Items without a result that the server will take later: they stay queued on the device.
  package var waiting: [WaitingItem]
  package var changes: [Change]
  /// Opaque: to be sent with the next request.
  package var cursor: String
  package var hasMore: Bool
  /// Opaque: where the account's changes ended when this was answered, which `cursor` has not reached. To be sent with the next
  /// requests until one is reached: a server that does not know it has lost what it took meanwhile.
  package var newestCursor: String?
  /// Names one unbroken history of this account on the server. Another value means that the server was restored: the
  /// device pulls from the start and offers again what the server no longer has.
  package var epoch: String
  package var serverTime: Timestamp

  package init(
    results: [ItemResult], changes: [Change], cursor: String, hasMore: Bool, newestCursor: String? = nil,
    epoch: String, serverTime: Timestamp, waiting: [WaitingItem] = []
  ) {
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

/// An item for which the server has no room now.
package struct WaitingItem: Hashable, Sendable {
  /// The id of the mutation or of the notification request.
  package var id: String
  /// Stable: why. A code that is not known here means no more than that.
  package var code: String
  /// It is of no use to try again before.
  package var retryAfterMilliseconds: Int64

  package init(id: String, code: String, retryAfterMilliseconds: Int64) {
    self.id = id
    self.code = code
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}

/// What became of one mutation or notification request.
package struct ItemResult: Hashable, Sendable {
  package enum Status: String, Sendable {
    /// Done now.
    case applied
    /// Done before under the same id: nothing happened again.
    case duplicate
    /// Refused for good, with a code. The device parks it.
    case rejected
  }

  /// The id of the mutation or of the notification request, whose type is not told apart here.
  package var id: String
  package var status: Status
  /// Stable, where rejected.
  package var code: String?
  /// One line for a person, where rejected.
  package var message: String?
  /// When the server first applied it; nil where rejected.
  package var appliedAt: Timestamp?
  /// When the alert that the item is about ended, by the clock of the device that ended it; nil where it is active.
  package var endedAt: Timestamp?
  /// With `newer_call_for_help`: the newest update of the alert, which the next end is to name as seen.
  package var newestUpdate: MutationID?

  /// The alert that was to be updated had ended: the device makes a new alert of the press.
  package static let alertEnded = "alert_ended"
  /// The server has no such alert of the account.
  package static let unknownAlert = "unknown_alert"
  /// Another device called for help again, unseen by whoever ended the alert here: it is still active.
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

/// Something of the account that is different since the cursor. It carries the whole new state, so that one missed in
/// between does no harm.
package enum Change: Hashable, Sendable {
  case alert(AlertRecord)
  case contact(ContactID, ContactRecord?)
  case receipt(Receipt)
}

/// An alert as the server holds it.
package struct AlertRecord: Hashable, Sendable {
  package var alert: Alert
  /// The ordinals that there are. A device has its own alerts, which no server has counted yet, beyond them.
  package static let ordinals: Range<Int64> = 1..<1 << 62

  /// Counts the account's alerts in the order in which the server first heard of them, from 1.
  package var ordinal: Int64
  /// When the server stored the alert, and its end.
  package var receivedAt: Timestamp
  package var endReceivedAt: Timestamp?
  /// The newest call for help after the one that raised it; nil where there was none.
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
  /// What the person said last.
  package var newestMessage: String? { newestUpdate?.update.message ?? alert.message }
  /// Where the person was last, as far as they told it.
  package var newestLocation: Location? { newestUpdate?.update.location ?? alert.location }
}

/// A contact as the server holds it.
package struct ContactRecord: Hashable, Sendable {
  package var details: ContactDetails
  /// With which its webhooks are signed: `whsec_` and base64, as Standard Webhooks writes it.
  package var webhookSecret: String

  package init(details: ContactDetails, webhookSecret: String) {
    self.details = details
    self.webhookSecret = webhookSecret
  }
}

extension SyncResponse: JSONBody {
  /// Results and changes are read one by one: one that cannot be read is passed over. An item without a readable result counts
  /// as not answered, and stays queued.
  package init(json: JSONValue) throws(JSONError) {
    results = try json.array("results").readableBodies()
    changes = try json.array("changes").readableBodies()
    cursor = try json.opaque("cursor")
    hasMore = try json.boolean("has_more")
    newestCursor = try? json.opaque("newest_cursor")
    epoch = try json.opaque("epoch")
    serverTime = try json.timestamp("server_time")
    waiting = try json.optionalArray("waiting")?.readableBodies() ?? []
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
  /// The id and the status decide. What goes with them may have another form one day, and counts as missing then.
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
