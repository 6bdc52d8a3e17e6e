import Model
import Wire

/// An alert as a read gives it: the record, whose it is, and what is known of it now.
struct AlertView {
  let alert: StoredAlert
  /// Of the person who raised it.
  let phone: String
  let profile: Profile?
  /// When the raising device was last heard from, where that is more than `Supervision.silenceMilliseconds` ago; nil for an alert
  /// that has ended.
  let noContactSince: Timestamp?
  /// Those that the caller may see; nil in a list.
  var receipts: [Receipt]?

  init(_ listed: ListedAlert, now: Timestamp, receipts: [Receipt]? = nil) {
    alert = listed.alert
    phone = listed.phone
    profile = listed.profile
    noContactSince = Supervision.noContactSince(listed.alert, lastContactAt: listed.lastContactAt, now: now)
    self.receipts = receipts
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      alert.record.writeMembers(to: &json)
      json.member("raised_at", alert.told.startedAt.description)
      json.member("safe_at", alert.told.endedAt?.description)
      json.key("person")
      json.object {
        $0.member("phone", phone)
        if let profile { $0.member("name", profile.name) }
      }
      json.member("no_contact_since", noContactSince?.description)
      guard let receipts else { return }
      json.key("receipts")
      json.array { for receipt in receipts { receipt.write(to: &$0) } }
    }
  }
}
