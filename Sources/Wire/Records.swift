package import Model

// How alerts, contacts and receipts are written, in a change and in the answers to reads.

extension Change: Decodable {
  private enum CodingKeys: String, CodingKey {
    case entity, id, alert, contact, receipt
  }

  private enum EntityName: String, Codable {
    case alert, contact, receipt
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(EntityName.self, forKey: .entity) {
    case .alert: self = .alert(try container.decode(AlertRecord.self, forKey: .alert))
    case .contact:
      let id = try container.decode(ContactID.self, forKey: .id)
      self = .contact(id, try container.decodeIfPresent(ContactRecord.self, forKey: .contact))
    case .receipt: self = .receipt(try container.decode(Receipt.self, forKey: .receipt))
    }
  }

  /// `{"entity": "alert" | "contact" | "receipt", "id": …, "alert" | "contact" | "receipt": …}`; a removed contact is
  /// null.
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
      }
    }
  }
}

extension AlertRecord: Decodable {
  private enum CodingKeys: String, CodingKey {
    case id, startedAt = "started_at", endedAt = "ended_at", message, location, drill, ordinal
    case receivedAt = "received_at", endReceivedAt = "end_received_at"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    alert = Alert(
      id: try container.decode(AlertID.self, forKey: .id),
      startedAt: try container.decode(Timestamp.self, forKey: .startedAt),
      endedAt: try container.decodeIfPresent(Timestamp.self, forKey: .endedAt),
      message: try container.decodeIfPresent(String.self, forKey: .message),
      location: try container.decodeIfPresent(Location.self, forKey: .location),
      isDrill: try container.decode(Bool.self, forKey: .drill)
    )
    ordinal = try container.decode(Int64.self, forKey: .ordinal)
    receivedAt = try container.decode(Timestamp.self, forKey: .receivedAt)
    endReceivedAt = try container.decodeIfPresent(Timestamp.self, forKey: .endReceivedAt)
  }

  /// The record as an object of its own.
  package func write(to json: inout JSONWriter) {
    json.object { writeMembers(to: &$0) }
  }

  /// The record's members, inside an object that is open.
  package func writeMembers(to json: inout JSONWriter) {
    alert.writeMembers(to: &json)
    json.member("ordinal", ordinal)
    json.member("received_at", receivedAt.description)
    json.member("end_received_at", endReceivedAt?.description)
  }
}

extension Alert {
  /// What the person knows of an alert: `id`, `started_at`, `ended_at`, `message`, `location`, `drill`.
  package func writeMembers(to json: inout JSONWriter) {
    json.member("id", id.description)
    json.member("started_at", startedAt.description)
    json.member("ended_at", endedAt?.description)
    json.member("message", message)
    json.key("location")
    if let location { MutationBody.write(location, to: &json) } else { json.null() }
    json.member("drill", isDrill)
  }
}

extension ContactRecord: Decodable {
  private enum CodingKeys: String, CodingKey { case webhookSecret = "webhook_secret" }

  package init(from decoder: any Decoder) throws {
    details = try ContactBody(from: decoder).details()
    webhookSecret = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .webhookSecret)
  }

  package func write(id: ContactID, to json: inout JSONWriter) {
    json.object {
      $0.member("id", id.description)
      MutationBody.write(details, to: &$0)
      $0.member("webhook_secret", webhookSecret)
    }
  }
}

extension Receipt: Decodable {
  private enum CodingKeys: String, CodingKey {
    case id, alertID = "alert_id", contactID = "contact_id", contactName = "contact_name", notice, channel, state, at
    case reason
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let kind = try container.decode(String.self, forKey: .channel)
    guard let channel = Channel.Kind(rawValue: kind) else {
      throw DecodingError.dataCorruptedError(forKey: .channel, in: container, debugDescription: "not a channel")
    }
    self.init(
      id: try container.decode(ReceiptID.self, forKey: .id),
      alertID: try container.decode(AlertID.self, forKey: .alertID),
      contactID: try container.decode(ContactID.self, forKey: .contactID),
      contactName: try container.decode(String.self, forKey: .contactName),
      notice: try container.decode(Notice.self, forKey: .notice),
      channel: channel,
      state: try container.decode(DeliveryState.self, forKey: .state),
      at: try container.decode(Timestamp.self, forKey: .at),
      reason: try container.decodeIfPresent(String.self, forKey: .reason)
    )
  }

  package func write(to json: inout JSONWriter) {
    json.object {
      $0.member("id", id.description)
      $0.member("alert_id", alertID.description)
      $0.member("contact_id", contactID.description)
      $0.member("contact_name", contactName)
      $0.member("notice", notice.rawValue)
      $0.member("channel", channel.rawValue)
      $0.member("state", state.rawValue)
      $0.member("at", at.description)
      $0.member("reason", reason)
    }
  }
}
