import Model
import Wire

/// Whether a stored body can stand in a request.
func isJSON(_ text: String) -> Bool {
  (try? JSONDocument(Array(text.utf8))) != nil  // why not is of no use
}

// The bodies of mutations as the queue, the spool and `contacts.server_state` keep them. This device wrote them.

extension ContactDetails {
  /// Reads the body of a `contact.put`. Throws `damaged` where it is not one.
  init(storedBody json: String) throws(LocalStoreError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root,
      case .putContact(let details)? = Mutation.Change.stored(.putContact, body: root)
    else { throw .unreadableRow }
    self = details
  }
}

extension AlertActivation {
  /// Reads the body of an `alert.activate`, where `started_at` always stands. Throws `damaged` where it is not one.
  init(storedBody json: String) throws(LocalStoreError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root else { throw .unreadableRow }
    try self.init(stored: root)
  }

  init(stored body: JSONValue) throws(LocalStoreError) {
    guard case .activateAlert(let activation)? = Mutation.Change.stored(.activateAlert, body: body) else {
      throw .unreadableRow
    }
    self = activation
  }
}

extension AlertUpdate {
  /// Reads the body of an `alert.update`, where `at` always stands. Throws `damaged` where it is not one.
  init(storedBody json: String) throws(LocalStoreError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root else { throw .unreadableRow }
    try self.init(stored: root)
  }

  fileprivate init(stored body: JSONValue) throws(LocalStoreError) {
    guard case .updateAlert(let update)? = Mutation.Change.stored(.updateAlert, body: body) else {
      throw .unreadableRow
    }
    self = update
  }
}

extension AlertDeactivation {
  /// Reads the body of an `alert.deactivate`. Throws `damaged` where it is not one.
  init(stored body: JSONValue) throws(LocalStoreError) {
    guard case .deactivateAlert(let deactivation)? = Mutation.Change.stored(.deactivateAlert, body: body) else {
      throw .unreadableRow
    }
    self = deactivation
  }
}

extension NewestUpdate {
  /// Reads `alerts.update_body`: the update, and its id where `update_id` is that of another call, which nobody here has heard.
  /// Throws `damaged` where it is not one.
  init(storedBody json: String, named id: MutationID) throws(LocalStoreError) {
    guard let root = try? JSONDocument(Array(json.utf8)).root else { throw .unreadableRow }
    let update = try AlertUpdate(stored: root)
    let own: String?
    do throws(JSONError) { own = try root.optionalString("id") } catch { throw .unreadableRow }
    guard let own else {
      self.init(id: id, update: update)
      return
    }
    guard let id = MutationID(stored: own) else { throw .unreadableRow }
    self.init(id: id, update: update)
  }

  /// Its body with its id.
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
  /// nil where `body` is not one of this kind.
  fileprivate static func stored(_ kind: Mutation.Kind, body: JSONValue) -> Mutation.Change? {
    try? read(kind: kind, occurredAt: Timestamp(milliseconds: 0), body: body, isForeign: true).get()
  }
}
