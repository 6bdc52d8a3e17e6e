import Model
import Wire

/// `GET /v1/contacts`: `{"contacts": […]}`, all of the account.
enum ContactsRoute {
  static func list(_ context: inout RequestContext) throws -> ServerResponse {
    guard case .session(let account, _, _) = context.principal else { throw Problem(.unauthorized, "sign in first") }
    let contacts = try context.transaction.contacts(of: account)
    let keys = context.keys
    var json = JSONWriter()
    json.object { json in
      json.key("contacts")
      json.array { json in
        for contact in contacts {
          keys.record(of: contact.details, id: contact.id, account: account).write(id: contact.id, to: &json)
        }
      }
    }
    return .json(json.bytes)
  }
}
