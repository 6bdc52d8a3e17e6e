package import Model

/// The JSON of a mutation's `body`, by kind.
///
/// | kind | members |
/// |---|---|
/// | `alert.activate` | `started_at`, `message`, `location` `{latitude, longitude}`, `drill`, `utc_offset_minutes` |
/// | `alert.deactivate` | `ended_at` |
/// | `contact.put` | `name`, `phone`, `responder`, `dependent`, `channels` |
/// | `contact.remove` | none |
///
/// A missing `started_at` or `ended_at` is the mutation's `occurred_at`; the other members of an activation, and the
/// flags and channels of a contact, may be missing or null.
package enum MutationBody {
  /// Writes the body; the same change gives the same bytes.
  package static func write(_ change: Mutation.Change, to json: inout JSONWriter) {
    json.object { json in
      switch change {
      case .activateAlert(let activation): write(activation, to: &json)
      case .deactivateAlert(let deactivation): json.member("ended_at", deactivation.endedAt.description)
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
    case .activateAlert: return try activation(body, occurredAt: occurredAt).map(Self.activateAlert)
    case .deactivateAlert:
      let endedAt = try body.optionalTimestamp("ended_at") ?? occurredAt
      return .success(.deactivateAlert(AlertDeactivation(endedAt: endedAt)))
    case .putContact: return try ContactDetails.read(body, isForeign: isForeign).map(Self.putContact)
    case .removeContact: return .success(.removeContact)
    }
  }

  private static func activation(
    _ body: JSONValue, occurredAt: Timestamp
  ) throws(JSONError) -> Result<AlertActivation, InvalidInput> {
    let startedAt = try body.optionalTimestamp("started_at") ?? occurredAt
    let text = try body.optionalString("message")
    let coordinates = try body.optional("location").map { value throws(JSONError) in
      (latitude: try value.double("latitude"), longitude: try value.double("longitude"))
    }
    let isDrill = try body.optionalBoolean("drill") ?? false
    let offset = try body.optionalInteger("utc_offset_minutes")
    return Result { () throws(InvalidInput) in
      if let offset, !(-1440...1440).contains(offset) {
        throw InvalidInput(.body, "utc_offset_minutes must be from -1440 to 1440")
      }
      return AlertActivation(
        startedAt: startedAt,
        message: try AlertMessage.validated(text),
        location: try coordinates.map { point throws(InvalidInput) in
          try Location(latitude: point.latitude, longitude: point.longitude)
        },
        isDrill: isDrill,
        utcOffsetMinutes: offset
      )
    }
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
