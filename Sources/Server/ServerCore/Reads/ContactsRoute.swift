import Model
import Wire

/// `GET /v1/contacts`: `{"contacts": […]}`, all of the account.
enum ContactsRoute {
  static func list(_ input: RouteInput) -> Rule<Caller> {
    var needs = RequestNeeds()
    needs.caller = FactNeeds()
    needs.caller?.contacts = true
    return Rule(needs) { caller, work in
      let account = caller.account.id
      let (contacts, tested, failed) = work.decide(about: account) { work in
        (work.state.allContacts(), work.state.tested, work.state.failed)
      }
      let keys = work.keys
      var json = JSONWriter()
      json.object { json in
        json.key("contacts")
        json.array { json in
          for contact in contacts {
            let record = keys.record(
              of: contact.details, tested[contact.id] ?? [], failed[contact.id] ?? [], id: contact.id,
              account: account)
            record.write(id: contact.id, to: &json)
          }
        }
      }
      return .json(json.bytes)
    }
  }
}
