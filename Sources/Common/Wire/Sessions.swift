package import Model

/// The answer to `GET /v1/sessions`: where the account is signed in, newest first.
package struct SessionsResponse: Hashable, Sendable {
  package var sessions: [SessionEntry]

  package init(sessions: [SessionEntry]) {
    self.sessions = sessions
  }
}

/// One sign-in of one device. Its alert key works; its tokens work too unless `isAlertKeyOnly`.
package struct SessionEntry: Hashable, Sendable {
  package var id: EntityID
  /// The name that the device gave itself.
  package var deviceName: String
  package var createdAt: Timestamp
  /// Last seen: when one of its tokens was first used, up to an hour before its last request; nil if none was used.
  package var lastSeenAt: Timestamp?
  /// Whether this is the session of the request.
  package var isCurrent: Bool
  /// Its tokens were revoked or have expired.
  package var isAlertKeyOnly: Bool

  package init(
    id: EntityID, deviceName: String, createdAt: Timestamp, lastSeenAt: Timestamp?, isCurrent: Bool,
    isAlertKeyOnly: Bool
  ) {
    self.id = id
    self.deviceName = deviceName
    self.createdAt = createdAt
    self.lastSeenAt = lastSeenAt
    self.isCurrent = isCurrent
    self.isAlertKeyOnly = isAlertKeyOnly
  }
}

extension SessionsResponse: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    sessions = try json.array("sessions").bodies()
  }

  package func json() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("sessions")
      json.array { for session in sessions { session.write(to: &$0) } }
    }
    return json.bytes
  }
}

extension SessionEntry: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    id = try json.identifier("id")
    deviceName = try json.string("device_name").foreignLine
    createdAt = try json.timestamp("created_at")
    lastSeenAt = try json.optionalTimestamp("last_seen_at")
    isCurrent = try json.boolean("current")
    isAlertKeyOnly = try json.boolean("alert_key_only")
  }

  package func write(to json: inout JSONWriter) {
    json.object { writeMembers(to: &$0) }
  }

  package func writeMembers(to json: inout JSONWriter) {
    json.member("id", id.description)
    json.member("device_name", deviceName)
    json.member("created_at", createdAt.description)
    json.member("last_seen_at", lastSeenAt?.description)
    json.member("current", isCurrent)
    json.member("alert_key_only", isAlertKeyOnly)
  }
}
