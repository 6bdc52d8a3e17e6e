import Model
import Wire

/// 64 bits that distinguish a repeated item from another item with the same id.
///
/// FNV-1a over the item's meaning, so that the order of members and white space do not matter. It need not resist
/// attacks: ids belong to one account, which could only deceive itself. It is stored, so it must never change for the same item.
struct Fingerprint {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  static func of(_ mutation: ReceivedMutation) -> UInt64 {
    var fingerprint = Self()
    switch mutation {
    case .valid(let mutation):
      fingerprint.add(mutation.change.kind.rawValue)
      fingerprint.add(mutation.entityID)
      fingerprint.add(mutation.change)
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

  private mutating func add(_ change: Mutation.Change) {
    switch change {
    case .activateAlert(let activation):
      add(activation.startedAt.milliseconds)
      add(activation.message)
      add(activation.location.map { $0.latitude.bitPattern } ?? .max)
      add(activation.location.map { $0.longitude.bitPattern } ?? .max)
      add(activation.isDrill ? UInt8(1) : 0)
      add(activation.utcOffsetMinutes.map(Int64.init) ?? .max)
      if let only = activation.onlyContact { add(EntityID(only)) }
    // Several devices may offer the same press to a restored server, each with what it knows about it.
    case .updateAlert(let update): add(update.at.milliseconds)
    case .deactivateAlert(let deactivation):
      add(deactivation.endedAt.milliseconds)
      for id in deactivation.seenUpdates ?? [] { add(EntityID(id)) }
    case .putContact(let details):
      add(details.name)
      add(details.phone)
      add(details.isResponder ? UInt8(1) : 0)
      add(details.isDependent ? UInt8(1) : 0)
      for channel in details.channels { add(channel.url) }
      if details.tier != 1 { add(Int64(details.tier)) }
    case .removeContact, .seeInbox: break
    case .putProfile(let profile): add(profile.name)
    case .answerInbox(let answer):
      add(answer.answer.rawValue)
      add(answer.text)
    }
  }

  /// The byte that marks the end of a text never occurs in one; another byte marks a missing text.
  private mutating func add(_ text: String?) {
    guard let text else { return add(UInt8(0xFE)) }
    for byte in text.utf8 { add(byte) }
    add(UInt8(0xFF))
  }

  private mutating func add(_ id: EntityID) {
    add(id.words.0)
    add(id.words.1)
  }

  private mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

  private mutating func add(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
