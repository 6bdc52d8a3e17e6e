import Model
import Wire

/// 64 bits by which a second sending of an item is told from another item under the same id.
///
/// FNV-1a over the item's meaning as our writer spells it, so that the order of members and white space do not matter. It need
/// not withstand an attacker: ids are those of one account, who would only deceive themselves.
struct Fingerprint {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  static func of(_ mutation: ReceivedMutation) -> UInt64 {
    var fingerprint = Self()
    switch mutation {
    case .valid(let mutation):
      fingerprint.add(mutation.change.kind.rawValue)
      fingerprint.add(mutation.entityID)
      var json = JSONWriter()
      MutationBody.write(mutation.change, to: &json)
      fingerprint.add(json.bytes)
    case .invalid(_, let entityID, let code, _):
      fingerprint.add(code)
      fingerprint.add(entityID)
    }
    return fingerprint.value
  }

  static func of(_ notification: NotificationRequest) -> UInt64 {
    var fingerprint = Self()
    fingerprint.add("notification.\(notification.notice.rawValue)")
    fingerprint.add(EntityID(notification.alertID))
    return fingerprint.value
  }

  private mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    add(0)
  }

  private mutating func add(_ id: EntityID) {
    for byte in id.description.utf8 { add(byte) }
    add(0)
  }

  private mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { add(byte) }
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
