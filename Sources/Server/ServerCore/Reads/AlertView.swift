import Model
import Wire

/// An alert as a read gives it: the record, whose it is, and what is known of it now.
struct AlertView {
  var alert: StoredAlert
  /// The number of who raised it.
  var phone: String
  /// The raising device was last heard of then, more than `Supervision.silenceMilliseconds` ago; nil while it is heard, and
  /// for an alert that has ended.
  var noContactSince: Timestamp?
  /// Those that the asker may see; nil in a list.
  var receipts: [Receipt]?

  func write(to json: inout JSONWriter) {
    json.object { json in
      alert.record.writeMembers(to: &json)
      json.member("raised_at", alert.told.startedAt.description)
      json.member("safe_at", alert.told.endedAt?.description)
      json.key("person")
      json.object { $0.member("phone", phone) }
      json.member("no_contact_since", noContactSince?.description)
      guard let receipts else { return }
      json.key("receipts")
      json.array { for receipt in receipts { receipt.write(to: &$0) } }
    }
  }
}

/// The watch over the device of somebody in danger.
enum Supervision {
  /// A silence of more than this is told. A device with an active alert speaks at least every 30 s.
  static let silenceMilliseconds: Int64 = 90_000

  /// When the raising device was last heard of, where that is too long ago.
  static func noContactSince(
    _ alert: StoredAlert, now: Timestamp, in transaction: any ServerTransaction
  ) throws(StorageError) -> Timestamp? {
    guard alert.record.alert.isActive else { return nil }
    let last = try transaction.lastContact(device: alert.device, account: alert.account) ?? alert.record.receivedAt
    return now.milliseconds(since: last) > silenceMilliseconds ? last : nil
  }
}
