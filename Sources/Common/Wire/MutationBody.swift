package import Model

/// The JSON of a mutation's `body`, by kind.
///
/// | kind | members |
/// |---|---|
/// | `alert.activate` | `started_at`, `message`, `location` `{latitude, longitude}`, `drill`, `utc_offset_minutes` |
/// | `alert.update` | `at`, `message`, `location`, `accuracy_m`, `battery_percent` |
/// | `alert.deactivate` | `ended_at`, `seen_updates` |
/// | `contact.put` | `name`, `phone`, `responder`, `dependent`, `channels` |
/// | `contact.remove` | none |
///
/// A missing `started_at`, `at` or `ended_at` is the mutation's `occurred_at`; the other members of an activation, an update or
/// an end, and the flags and channels of a contact, may be missing or null.
///
/// A call for help is never refused for what came with it: a message that is too long is cut, and a location, an accuracy or
/// an offset that cannot be is left out.
package enum MutationBody {
  /// Writes the body; the same change gives the same bytes.
  package static func write(_ change: Mutation.Change, to json: inout JSONWriter) {
    json.object { json in
      switch change {
      case .activateAlert(let activation): write(activation, to: &json)
      case .updateAlert(let update): write(update, to: &json)
      case .deactivateAlert(let deactivation): write(deactivation, to: &json)
      case .putContact(let details): write(details, to: &json)
      case .removeContact: break
      }
    }
  }

  /// The body as text, as the device's queue keeps it.
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
  }

  /// The members of an update, inside an object that is open.
  package static func write(_ update: AlertUpdate, to json: inout JSONWriter) {
    json.member("at", update.at.description)
    json.member("message", update.message)
    json.key("location")
    if let location = update.location { write(location, to: &json) } else { json.null() }
    json.key("accuracy_m")
    if let accuracy = update.accuracyMeters { json.number(accuracy) } else { json.null() }
    json.member("battery_percent", update.batteryPercent)
  }

  private static func write(_ deactivation: AlertDeactivation, to json: inout JSONWriter) {
    json.member("ended_at", deactivation.endedAt.description)
    guard let seen = deactivation.seenUpdates else { return }
    json.key("seen_updates")
    json.array { for id in seen { $0.string(id.description) } }
  }

  /// The members of a contact, inside an object that is open.
  package static func write(_ details: ContactDetails, to json: inout JSONWriter) {
    json.member("name", details.name)
    json.member("phone", details.phone)
    json.member("responder", details.isResponder)
    json.member("dependent", details.isDependent)
    json.key("channels")
    json.array { for channel in details.channels { $0.string(channel.url) } }
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
  /// Reads the body of a mutation of `kind`. A value that breaks a rule of the domain is a failure, which refuses this
  /// mutation alone; JSON of another shape throws.
  /// - Parameter isForeign: what it says of a contact came from a server, and goes back to it as it came.
  package static func read(
    kind: Mutation.Kind, occurredAt: Timestamp, body: JSONValue?, isForeign: Bool = false
  ) throws(JSONError) -> Result<Self, InvalidInput> {
    if kind == .removeContact { return .success(.removeContact) }
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
    }
  }

  private static func activation(_ body: JSONValue, occurredAt: Timestamp) throws(JSONError) -> AlertActivation {
    let offset = try body.optionalInteger("utc_offset_minutes")
    return AlertActivation(
      startedAt: try body.optionalTimestamp("started_at") ?? occurredAt,
      message: AlertMessage.fitting(try body.optionalString("message")),
      location: try body.possibleLocation(),
      isDrill: try body.optionalBoolean("drill") ?? false,
      utcOffsetMinutes: offset.flatMap { (-1440...1440).contains($0) ? $0 : nil })
  }

  private static func seenUpdates(_ body: JSONValue) throws(JSONError) -> [MutationID]? {
    guard let elements = try body.optionalArray("seen_updates") else { return nil }
    var seen: [MutationID] = []
    for element in elements { if let id = MutationID(try element.string()) { seen.append(id) } }
    return seen
  }
}

extension AlertUpdate {
  /// Reads an update's members, from a mutation or an alert's record. What cannot be is left out.
  static func read(_ json: JSONValue, occurredAt: Timestamp) throws(JSONError) -> Self {
    Self(
      at: try json.optionalTimestamp("at") ?? occurredAt,
      message: AlertMessage.fitting(try json.optionalString("message")),
      location: try json.possibleLocation(),
      accuracyMeters: try json.optional("accuracy_m").map { value throws(JSONError) in try value.double() },
      batteryPercent: try json.optionalInteger("battery_percent"))
  }
}

extension JSONValue {
  /// The member `location`; nil where it is missing, or is no place on Earth.
  fileprivate func possibleLocation() throws(JSONError) -> Location? {
    guard let value = try optional("location") else { return nil }
    let latitude = try value.double("latitude")
    let longitude = try value.double("longitude")
    return try? Location(latitude: latitude, longitude: longitude)
  }
}

extension ContactDetails {
  /// Reads a contact's members, from a mutation or a change.
  /// - Parameter isForeign: a server wrote them, perhaps a newer one, to whose rules this version does not hold it.
  static func read(_ json: JSONValue, isForeign: Bool) throws(JSONError) -> Result<Self, InvalidInput> {
    let name = try json.string("name")
    let phone = try json.string("phone")
    let isResponder = try json.optionalBoolean("responder") ?? false
    let isDependent = try json.optionalBoolean("dependent") ?? false
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
          channels: urls.compactMap { try? Channel(foreign: $0) })
      }
      return try Self(
        name: name, phone: phone, isResponder: isResponder, isDependent: isDependent,
        channels: urls.map { url throws(InvalidInput) in try Channel(received: url) })
    }
  }
}
