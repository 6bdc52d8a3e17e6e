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
  /// Reads the body of a mutation of `kind`. Throws `InvalidInput` where a value breaks a rule of the domain, and
  /// `DecodingError` where the JSON has another shape.
  package init(kind: Mutation.Kind, occurredAt: Timestamp, body decoder: any Decoder) throws {
    switch kind {
    case .activateAlert:
      let body = try ActivationBody(from: decoder)
      self = .activateAlert(try body.activation(occurredAt: occurredAt))
    case .deactivateAlert:
      let body = try DeactivationBody(from: decoder)
      self = .deactivateAlert(AlertDeactivation(endedAt: body.ended_at ?? occurredAt))
    case .putContact: self = .putContact(try ContactBody(from: decoder).details())
    case .removeContact: self = .removeContact
    }
  }
}

// The members stand here as the wire spells them.

private struct ActivationBody: Decodable {
  var started_at: Timestamp?
  var message: String?
  var location: Location?
  var drill: Bool?
  var utc_offset_minutes: Int?

  func activation(occurredAt: Timestamp) throws -> AlertActivation {
    if let offset = utc_offset_minutes, !(-1440...1440).contains(offset) {
      throw InvalidInput(.body, "utc_offset_minutes must be from -1440 to 1440")
    }
    return AlertActivation(
      startedAt: started_at ?? occurredAt,
      message: try AlertMessage.validated(message),
      location: location,
      isDrill: drill ?? false,
      utcOffsetMinutes: utc_offset_minutes
    )
  }
}

private struct DeactivationBody: Decodable {
  var ended_at: Timestamp?
}

/// A contact's members as they are read from a mutation or a change.
struct ContactBody: Decodable {
  var name: String
  var phone: String
  var responder: Bool?
  var dependent: Bool?
  var channels: [Channel]?

  func details() throws -> ContactDetails {
    try ContactDetails(
      name: name, phone: phone, isResponder: responder ?? false, isDependent: dependent ?? false,
      channels: channels ?? []
    )
  }
}
