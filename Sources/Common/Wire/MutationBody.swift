package import Model

/// The JSON of a mutation's `body`, by kind.
///
/// | kind | members |
/// |---|---|
/// | `alert.activate` | `started_at`, `message`, `location` `{latitude, longitude}`, `drill`, `utc_offset_minutes`, `only` |
/// | `alert.update` | `at`, `message`, `location`, `accuracy_m`, `battery_percent`; `call`, false for what is no call for help |
/// | `alert.deactivate` | `ended_at`, `seen_updates` |
/// | `contact.put` | `name`, `phone`, `responder`, `dependent`, `channels` |
/// | `contact.remove` | none |
/// | `profile.put` | `name` |
/// | `inbox.seen` | none |
/// | `inbox.answer` | `answer`, `text` |
///
/// A missing `started_at`, `at` or `ended_at` defaults to the mutation's `occurred_at`. All other members of an activation, an
/// update or an end, and a contact's flags and channels, may be missing or null.
///
/// A call for help is never refused for its details: a message that is too long is truncated, and an invalid location,
/// accuracy or offset is dropped.
package enum MutationBody {
  /// Writes the body; the same change produces the same bytes.
  package static func write(_ change: Mutation.Change, to json: inout JSONWriter) {
    json.object { json in
      switch change {
      case .activateAlert(let activation): write(activation, to: &json)
      case .updateAlert(let update): write(update, to: &json)
      case .deactivateAlert(let deactivation): write(deactivation, to: &json)
      case .putContact(let details): write(details, to: &json)
      case .removeContact, .seeInbox: break
      case .putProfile(let profile): write(profile, to: &json)
      case .answerInbox(let answer): write(answer, to: &json)
      }
    }
  }

  /// The body as text, as the device's queue stores it.
  package static func text(of change: Mutation.Change) -> String {
    var json = JSONWriter()
    write(change, to: &json)
    return json.text
  }

  private static func write(_ activation: AlertActivation, to json: inout JSONWriter) {
    json.member("started_at", activation.startedAt.description)
    json.member("message", activation.message)
    json.key("location")
    if let location = activation.location { write(location, to: &json) } else { json.null() }
    json.member("drill", activation.isDrill)
    json.member("utc_offset_minutes", activation.utcOffsetMinutes)
    if let only = activation.onlyContact { json.member("only", only.description) }
  }

  /// Writes an update's members into an open object.
  package static func write(_ update: AlertUpdate, to json: inout JSONWriter) {
    json.member("at", update.at.description)
    json.member("message", update.message)
    json.key("location")
    if let location = update.location { write(location, to: &json) } else { json.null() }
    json.key("accuracy_m")
    if let accuracy = update.accuracyMeters { json.number(accuracy) } else { json.null() }
    json.member("battery_percent", update.batteryPercent)
    // Written only where it is false: a press has the bytes that it always had.
    if !update.isCall { json.member("call", false) }
  }

  /// The bytes that a body has only if it is an update and no call for help: no text contains them, as its quotes are escaped.
  package static let noCall = "\"call\":false"

  private static func write(_ deactivation: AlertDeactivation, to json: inout JSONWriter) {
    json.member("ended_at", deactivation.endedAt.description)
    guard let seen = deactivation.seenUpdates else { return }
    json.key("seen_updates")
    json.array { for id in seen { $0.string(id.description) } }
  }

  /// Writes a contact's members into an open object.
  package static func write(_ details: ContactDetails, to json: inout JSONWriter) {
    json.member("name", details.name)
    json.member("phone", details.phone)
    json.member("responder", details.isResponder)
    json.member("dependent", details.isDependent)
    json.key("channels")
    json.array { for channel in details.channels { $0.string(channel.url) } }
    // Servers of before there were tiers get what they always got.
    if details.tier != 1 { json.member("tier", details.tier) }
  }

  /// Writes a profile's members into an open object.
  package static func write(_ profile: Profile, to json: inout JSONWriter) {
    json.member("name", profile.name)
  }

  /// Writes an answer's members into an open object.
  static func write(_ answer: InboxAnswer, to json: inout JSONWriter) {
    json.member("answer", answer.answer.rawValue)
    json.member("text", answer.text)
  }

  package static func write(_ location: Location, to json: inout JSONWriter) {
    json.object {
      $0.key("latitude")
      $0.number(location.latitude)
      $0.key("longitude")
      $0.number(location.longitude)
    }
  }
}

extension Mutation.Change {
  /// Reads the body of a mutation of `kind`. Returns a failure, which refuses only this mutation, for a value that breaks a rule
  /// of the domain. Throws for JSON of the wrong shape.
  /// - Parameter isForeign: a contact's details came from a server and go back to it unchanged.
  package static func read(
    kind: Mutation.Kind, occurredAt: Timestamp, body: JSONValue?, isForeign: Bool = false
  ) throws(JSONError) -> Result<Self, InvalidInput> {
    if kind == .removeContact { return .success(.removeContact) }
    if kind == .seeInbox { return .success(.seeInbox) }
    guard let body else { throw JSONError(.wrongShape, "the member body is missing") }
    switch kind {
    case .activateAlert: return .success(.activateAlert(try activation(body, occurredAt: occurredAt)))
    case .updateAlert: return .success(.updateAlert(try AlertUpdate.read(body, occurredAt: occurredAt)))
    case .deactivateAlert:
      let endedAt = try body.optionalTimestamp("ended_at") ?? occurredAt
      let seen = try seenUpdates(body)
      return .success(.deactivateAlert(AlertDeactivation(endedAt: endedAt, seenUpdates: seen)))
    case .putContact: return try ContactDetails.read(body, isForeign: isForeign).map(Self.putContact)
    case .removeContact: return .success(.removeContact)
    case .putProfile: return try Profile.read(body, isForeign: isForeign).map(Self.putProfile)
    case .seeInbox: return .success(.seeInbox)
    case .answerInbox: return try InboxAnswer.read(body).map(Self.answerInbox)
    }
  }

  private static func activation(_ body: JSONValue, occurredAt: Timestamp) throws(JSONError) -> AlertActivation {
    let offset = try body.optionalInteger("utc_offset_minutes")
    return AlertActivation(
      startedAt: try body.optionalTimestamp("started_at") ?? occurredAt,
      message: AlertMessage.fitting(try body.optionalString("message")),
      location: try body.possibleLocation(),
      isDrill: try body.optionalBoolean("drill") ?? false,
      utcOffsetMinutes: offset.flatMap { (-1440...1440).contains($0) ? $0 : nil },
      onlyContact: (try? body.optionalString("only")).flatMap { $0 }.flatMap { ContactID($0) })
  }

  private static func seenUpdates(_ body: JSONValue) throws(JSONError) -> [MutationID]? {
    guard let elements = try body.optionalArray("seen_updates") else { return nil }
    var seen: [MutationID] = []
    for element in elements { if let id = MutationID(try element.string()) { seen.append(id) } }
    return seen
  }
}

extension AlertUpdate {
  /// Reads an update's members from a mutation or an alert's record. Invalid values are dropped.
  static func read(_ json: JSONValue, occurredAt: Timestamp) throws(JSONError) -> Self {
    Self(
      at: try json.optionalTimestamp("at") ?? occurredAt,
      message: AlertMessage.fitting(try json.optionalString("message")),
      location: try json.possibleLocation(),
      accuracyMeters: try json.optional("accuracy_m").map { value throws(JSONError) in try value.double() },
      batteryPercent: try json.optionalInteger("battery_percent"),
      isCall: try json.optionalBoolean("call") ?? true)
  }
}

extension JSONValue {
  /// The member `location`; nil if it is missing or invalid.
  fileprivate func possibleLocation() throws(JSONError) -> Location? {
    guard let value = try optional("location") else { return nil }
    let latitude = try value.double("latitude")
    let longitude = try value.double("longitude")
    return try? Location(latitude: latitude, longitude: longitude)
  }
}

extension Profile {
  /// Reads a profile's members from a mutation or a change.
  /// - Parameter isForeign: a server wrote them, perhaps a newer one, so this version's limit does not apply.
  static func read(_ json: JSONValue, isForeign: Bool) throws(JSONError) -> Result<Self, InvalidInput> {
    let name = try json.string("name")
    return Result { () throws(InvalidInput) in isForeign ? try Self(foreignName: name) : try Self(name: name) }
  }
}

extension ContactDetails {
  /// Reads a contact's members from a mutation or a change.
  /// - Parameter isForeign: a server wrote them, perhaps a newer one, so this version's limits do not apply.
  static func read(_ json: JSONValue, isForeign: Bool) throws(JSONError) -> Result<Self, InvalidInput> {
    let name = try json.string("name")
    let phone = try json.string("phone")
    let isResponder = try json.optionalBoolean("responder") ?? false
    let isDependent = try json.optionalBoolean("dependent") ?? false
    let tier = try json.optionalInteger("tier") ?? 1
    var urls: [String] = []
    if let elements = try json.optionalArray("channels") {
      for element in elements {
        if isForeign, !element.isString { continue }
        urls.append(try element.string())
      }
    }
    return Result { () throws(InvalidInput) in
      guard !isForeign else {
        return try Self(
          foreignName: name, phone: phone, isResponder: isResponder, isDependent: isDependent,
          channels: urls.compactMap { try? Channel(foreign: $0) }, tier: tier)
      }
      return try Self(
        name: name, phone: phone, isResponder: isResponder, isDependent: isDependent,
        channels: urls.map { url throws(InvalidInput) in try Channel(received: url) }, tier: tier)
    }
  }
}
