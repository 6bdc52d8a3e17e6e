package import Model

// The JSON of alerts, contacts, receipts and profiles, in changes and in the answers to reads.

extension Change: JSONBody {
  private enum EntityName: String {
    case alert, contact, receipt, profile, inbox
  }

  package init(json: JSONValue) throws(JSONError) {
    let entity: EntityName = try json.choice("entity")
    switch entity {
    case .alert: self = .alert(try AlertRecord(json: json.required("alert")))
    case .contact:
      let record = try json.optional("contact").map { value throws(JSONError) in try ContactRecord(json: value) }
      self = .contact(try json.identifier("id"), record)
    case .receipt: self = .receipt(try Receipt(json: json.required("receipt")))
    case .profile:
      switch try Profile.read(json.required("profile"), isForeign: true) {
      case .success(let profile): self = .profile(try json.identifier("id"), profile)
      case .failure(let invalid): throw JSONError(.wrongShape, invalid.message)
      }
    case .inbox:
      let id: InboxID = try json.identifier("id")
      self = .inbox(
        id, try json.optional("inbox").map { value throws(JSONError) in try InboxAlert(id: id, json: value) })
    }
  }

  /// `{"entity": …, "id": …, …}` with a member of the entity's name: `alert`, `contact`, `receipt`, `profile` or `inbox`. A removed
  /// contact, and an alert of which the responder is no longer told, is null.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      switch self {
      case .alert(let record):
        json.member("entity", EntityName.alert.rawValue)
        json.member("id", record.alert.id.description)
        json.key("alert")
        record.write(to: &json)
      case .contact(let id, let record):
        json.member("entity", EntityName.contact.rawValue)
        json.member("id", id.description)
        json.key("contact")
        if let record { record.write(id: id, to: &json) } else { json.null() }
      case .receipt(let receipt):
        json.member("entity", EntityName.receipt.rawValue)
        json.member("id", receipt.id.description)
        json.key("receipt")
        receipt.write(to: &json)
      case .profile(let account, let profile):
        json.member("entity", EntityName.profile.rawValue)
        json.member("id", account.description)
        json.key("profile")
        json.object { MutationBody.write(profile, to: &$0) }
      case .inbox(let id, let alert):
        json.member("entity", EntityName.inbox.rawValue)
        json.member("id", id.description)
        json.key("inbox")
        if let alert { alert.write(to: &json) } else { json.null() }
      }
    }
  }
}

extension AlertRecord: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    alert = Alert(
      id: try json.identifier("id"),
      startedAt: try json.timestamp("started_at"),
      endedAt: try json.optionalTimestamp("ended_at"),
      message: try json.optionalString("message"),
      // Tolerant: an unreadable location must not lose the alert.
      location: try json.optional("location").flatMap { try? Location(json: $0) },
      isDrill: try json.boolean("drill"),
      // Tolerant: so is an unreadable contact.
      onlyContact: (try? json.optionalString("only")).flatMap { $0 }.flatMap { ContactID($0) }
    )
    ordinal = Int64(try json.integer("ordinal"))
    guard Self.ordinals.contains(ordinal) else { throw JSONError(.wrongShape, "the member ordinal is out of range") }
    receivedAt = try json.timestamp("received_at")
    endReceivedAt = try json.optionalTimestamp("end_received_at")
    // Tolerant: an unreadable update must not lose the alert either.
    newestUpdate = try json.optional("update").flatMap { value in
      try? NewestUpdate(
        id: value.identifier("id"), update: AlertUpdate.read(value, occurredAt: value.timestamp("at")))
    }
  }

  /// Writes the record as an object.
  package func write(to json: inout JSONWriter) {
    json.object { writeMembers(to: &$0) }
  }

  /// Writes the record's members into an open object.
  package func writeMembers(to json: inout JSONWriter) {
    alert.writeMembers(to: &json)
    json.member("ordinal", ordinal)
    json.member("received_at", receivedAt.description)
    json.member("end_received_at", endReceivedAt?.description)
    guard let newestUpdate else { return }
    json.key("update")
    json.object {
      $0.member("id", newestUpdate.id.description)
      MutationBody.write(newestUpdate.update, to: &$0)
    }
  }
}

extension Alert {
  /// Writes the members that the person entered: `id`, `started_at`, `ended_at`, `message`, `location`, `drill`, and `only` in a test
  /// of one responder.
  package func writeMembers(to json: inout JSONWriter) {
    json.member("id", id.description)
    json.member("started_at", startedAt.description)
    json.member("ended_at", endedAt?.description)
    json.member("message", message)
    json.key("location")
    if let location { MutationBody.write(location, to: &json) } else { json.null() }
    json.member("drill", isDrill)
    if let onlyContact { json.member("only", onlyContact.description) }
  }
}

extension Location: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    let latitude = try json.double("latitude")
    let longitude = try json.double("longitude")
    do {
      try self.init(latitude: latitude, longitude: longitude)
    } catch {
      throw JSONError(.wrongShape, error.message)
    }
  }
}

extension ContactRecord: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    do {
      details = try ContactDetails.read(json, isForeign: true).get()
    } catch let invalid as InvalidInput {
      throw JSONError(.wrongShape, invalid.message)
    } catch let error as JSONError {
      throw error
    } catch {
      throw JSONError(.wrongShape, "this is not a contact")
    }
    webhookSecret = try json.string("webhook_secret")
    // Tolerant: a test or a failure that cannot be read must not lose the contact.
    tested = Self.readable("tested", of: json)
    failed = Self.readable("failed", of: json)
  }

  private static func readable<Body: JSONBody>(_ name: StaticString, of json: JSONValue) -> [Body] {
    (try? json.optionalArray(name)).flatMap { $0 }.flatMap { try? $0.readableBodies() } ?? []
  }

  package func write(id: ContactID, to json: inout JSONWriter) {
    json.object {
      $0.member("id", id.description)
      MutationBody.write(details, to: &$0)
      $0.member("webhook_secret", webhookSecret)
      if !tested.isEmpty {
        $0.key("tested")
        $0.array { for channel in tested { channel.write(to: &$0) } }
      }
      guard !failed.isEmpty else { return }
      $0.key("failed")
      $0.array { for channel in failed { channel.write(to: &$0) } }
    }
  }
}

extension TestedChannel: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    self.init(url: try json.string("channel"), at: try json.timestamp("at"))
  }

  /// Writes it as an object.
  package func write(to json: inout JSONWriter) {
    json.object {
      $0.member("channel", url)
      $0.member("at", at.description)
    }
  }
}

extension FailedChannel: JSONBody {
  /// What the server says of the reason is made one line.
  package init(json: JSONValue) throws(JSONError) {
    self.init(
      url: try json.string("channel"), at: try json.timestamp("at"), reason: try json.string("reason").foreignLine)
  }

  /// Writes it as an object.
  package func write(to json: inout JSONWriter) {
    json.object {
      $0.member("channel", url)
      $0.member("at", at.description)
      $0.member("reason", reason)
    }
  }
}

extension Receipt: JSONBody {
  /// An unknown kind of channel becomes `other`. An unknown state becomes the state that the server guarantees (`at_least`), or
  /// else the lowest one.
  package init(json: JSONValue) throws(JSONError) {
    let word = try json.string("state")
    let known = DeliveryState(rawValue: word)
    let leastKnown = (try? json.optionalString("at_least"))?.flatMap { DeliveryState(rawValue: $0) }
    let reason = (try? json.optionalString("reason")) ?? nil
    self.init(
      id: try json.identifier("id"),
      alertID: try json.identifier("alert_id"),
      contactID: try json.identifier("contact_id"),
      contactName: try json.string("contact_name"),
      notice: try json.choice("notice"),
      channel: Channel.Kind(rawValue: try json.string("channel")) ?? .other,
      state: known ?? leastKnown ?? .queued,
      at: try json.timestamp("at"),
      reason: known == nil
        ? reason ?? "the server says \"\(word)\", which this version does not know".foreignLine : reason
    )
    unknownState = known == nil && leastKnown == nil ? word : nil
  }

  package func write(to json: inout JSONWriter) {
    json.object {
      $0.member("id", id.description)
      $0.member("alert_id", alertID.description)
      $0.member("contact_id", contactID.description)
      $0.member("contact_name", contactName)
      $0.member("notice", notice.rawValue)
      $0.member("channel", channel.rawValue)
      $0.member("state", unknownState ?? state.rawValue)
      $0.member("at", at.description)
      $0.member("reason", reason)
    }
  }
}
