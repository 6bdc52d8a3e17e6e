import Model
import SQLiteKit
import Wire

/// Whether a stored body can be sent.
func isJSON(_ text: String) -> Bool {
  (try? JSONDocument(Array(text.utf8))) != nil  // the reason does not matter
}

// The bodies of mutations, as the queue, the spool and `contacts.server_state` keep them. This device wrote them. Each initializer throws
// `SQLiteError.isUnreadableValue` for anything else.

extension ContactDetails {
  /// Reads the body of a `contact.put`.
  init(storedBody json: String) throws(SQLiteError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root,
      case .putContact(let details)? = Mutation.Change.stored(.putContact, body: root)
    else { throw .unreadableValue(of: "a body") }
    self = details
  }
}

extension Profile {
  /// Reads the body of a `profile.put`.
  init(storedBody json: String) throws(SQLiteError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root,
      case .putProfile(let profile)? = Mutation.Change.stored(.putProfile, body: root)
    else { throw .unreadableValue(of: "a body") }
    self = profile
  }
}

extension InboxAnswer {
  /// Reads the body of an `inbox.answer`.
  init(storedBody json: String) throws(SQLiteError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root,
      case .answerInbox(let answer)? = Mutation.Change.stored(.answerInbox, body: root)
    else { throw .unreadableValue(of: "a body") }
    self = answer
  }
}

extension InboxAlert {
  /// Reads `inbox.record`.
  init(storedRecord json: String) throws(SQLiteError) {
    do throws(JSONError) { try self.init(text: json) } catch { throw .unreadableValue(of: "an alert in the inbox") }
  }
}

extension AlertActivation {
  /// Reads the body of an `alert.activate`, which always has `started_at`.
  init(storedBody json: String) throws(SQLiteError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root else { throw .unreadableValue(of: "a body") }
    try self.init(stored: root)
  }

  init(stored body: JSONValue) throws(SQLiteError) {
    guard case .activateAlert(let activation)? = Mutation.Change.stored(.activateAlert, body: body) else {
      throw .unreadableValue(of: "a body")
    }
    self = activation
  }
}

extension AlertUpdate {
  /// Reads the body of an `alert.update`, which always has `at`.
  init(storedBody json: String) throws(SQLiteError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root else { throw .unreadableValue(of: "a body") }
    try self.init(stored: root)
  }

  fileprivate init(stored body: JSONValue) throws(SQLiteError) {
    guard case .updateAlert(let update)? = Mutation.Change.stored(.updateAlert, body: body) else {
      throw .unreadableValue(of: "a body")
    }
    self = update
  }
}

extension AlertDeactivation {
  /// Reads the body of an `alert.deactivate`.
  init(stored body: JSONValue) throws(SQLiteError) {
    guard case .deactivateAlert(let deactivation)? = Mutation.Change.stored(.deactivateAlert, body: body) else {
      throw .unreadableValue(of: "a body")
    }
    self = deactivation
  }
}

extension NewestUpdate {
  /// Reads `alerts.update_body`: the update, and its id if `update_id` names another one, or none.
  init(storedBody json: String, named id: MutationID?) throws(SQLiteError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root else { throw .unreadableValue(of: "a body") }
    let update = try AlertUpdate(stored: root)
    let own: String?
    do throws(JSONError) { own = try root.optionalString("id") } catch { throw .unreadableValue(of: "a body") }
    guard let id = own.map({ MutationID(stored: $0) }) ?? id else { throw .unreadableValue(of: "a body") }
    self.init(id: id, update: update)
  }

  /// The update's body, with its id.
  var storedBody: String {
    var json = JSONWriter()
    json.object {
      $0.member("id", id.description)
      MutationBody.write(update, to: &$0)
    }
    return json.text
  }
}

extension Mutation.Change {
  /// nil if `body` is not one of this kind.
  fileprivate static func stored(_ kind: Mutation.Kind, body: JSONValue) -> Mutation.Change? {
    try? read(kind: kind, occurredAt: Timestamp(milliseconds: 0), body: body, isForeign: true).get()
  }
}
