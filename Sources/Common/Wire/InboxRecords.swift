package import Model

// The JSON of the alerts in an inbox, and of answers to them.

extension InboxAlert: JSONBody {
  /// Reads what `write` wrote, with the id beside it.
  package init(json: JSONValue) throws(JSONError) {
    try self.init(id: json.identifier("id"), json: json)
  }

  /// What cannot be read of the details must not lose the alert.
  init(id: InboxID, json: JSONValue) throws(JSONError) {
    self.init(
      id: id, alertID: try json.identifier("alert_id"), phone: try json.string("phone"),
      name: try json.optionalString("name")?.foreignLine, startedAt: try json.timestamp("started_at"),
      endedAt: try json.optionalTimestamp("ended_at"), isDrill: try json.boolean("drill"))
    message = (try? json.optionalString("message")) ?? nil
    earlierMessages = (try? (try json.optionalArray("earlier_messages"))?.readableBodies()) ?? []
    hasMoreMessages = ((try? json.optionalBoolean("more_messages")) ?? nil) ?? false
    place = (try? json.optional("place")).flatMap { $0 }.flatMap { try? Place(json: $0) }
    batteryPercent = (try? json.optionalInteger("battery_percent")) ?? nil
    noContactSince = (try? json.optionalTimestamp("no_contact_since")) ?? nil
    askedAgain = ((try? json.optionalInteger("asked_again")) ?? nil) ?? 0
    comers = (try? json.optionalArray("responding"))??.names() ?? []
    response = (try? json.optional("response")).flatMap { $0 }.flatMap { try? Response(json: $0) }
    isAskedToConfirm = ((try? json.optionalBoolean("confirm")) ?? nil) ?? false
    pageURL = ((try? json.optionalString("page_url")) ?? nil)?.foreignLine
  }

  /// Writes it as an object.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("id", id.description)
      json.member("alert_id", alertID.description)
      json.member("phone", phone)
      json.member("name", name)
      json.member("started_at", startedAt.description)
      json.member("ended_at", endedAt?.description)
      json.member("drill", isDrill)
      json.member("message", message)
      json.key("earlier_messages")
      json.array { for message in earlierMessages { message.write(to: &$0) } }
      json.member("more_messages", hasMoreMessages)
      json.key("place")
      if let place { place.write(to: &json) } else { json.null() }
      json.member("battery_percent", batteryPercent)
      json.member("no_contact_since", noContactSince?.description)
      json.member("asked_again", askedAgain)
      json.key("responding")
      json.array { for name in comers { $0.string(name) } }
      json.key("response")
      if let response { response.write(to: &json) } else { json.null() }
      json.member("confirm", isAskedToConfirm)
      json.member("page_url", pageURL)
    }
  }

  /// As stores keep it.
  package var text: String {
    var json = JSONWriter()
    write(to: &json)
    return json.text
  }

  /// Reads `text`.
  package init(text: String) throws(JSONError) {
    try self.init(jsonBytes: Array(text.utf8))
  }
}

extension InboxAlert.EarlierMessage: JSONBody {
  package init(json: JSONValue) throws(JSONError) {
    self.init(try json.string("message"), at: try json.timestamp("at"))
  }

  package func write(to json: inout JSONWriter) {
    json.object {
      $0.member("message", text)
      $0.member("at", at.description)
    }
  }
}

extension InboxAlert.Place {
  fileprivate init(json: JSONValue) throws(JSONError) {
    self.init(
      location: try Location(json: json),
      accuracyMeters: try json.optional("accuracy_m").map { value throws(JSONError) in try value.double() },
      at: try json.timestamp("at"))
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.object {
      $0.key("latitude")
      $0.number(location.latitude)
      $0.key("longitude")
      $0.number(location.longitude)
      $0.key("accuracy_m")
      if let accuracyMeters { $0.number(accuracyMeters) } else { $0.null() }
      $0.member("at", at.description)
    }
  }
}

extension InboxAlert.Response {
  fileprivate init(json: JSONValue) throws(JSONError) {
    self.init(
      InboxAnswer(try json.choice("answer"), text: try json.optionalString("text")), at: try json.timestamp("at"))
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.object {
      MutationBody.write(answer, to: &$0)
      $0.member("at", at.description)
    }
  }
}

extension InboxAnswer {
  /// Reads an answer's members from a mutation. A word that this version does not know refuses only this mutation.
  static func read(_ json: JSONValue) throws(JSONError) -> Result<Self, InvalidInput> {
    let word = try json.string("answer")
    let text = try json.optionalString("text")
    guard let answer = ResponderAnswer(rawValue: word) else {
      return .failure(InvalidInput(.body, "this is not an answer to an alert"))
    }
    return .success(Self(answer, text: text))
  }
}

extension JSONElements {
  /// The elements that are text, as lines.
  fileprivate func names() -> [String] {
    // Skipped for any error.
    compactMap { element in try? element.string().foreignLine }
  }
}
