import Model

// What the end of a message says of the channel that it went by. Devices hear of it only where it says something new.
extension AccountWork {
  /// The message got through.
  mutating func noteWorking(_ delivery: StoredDelivery) {
    guard let channel = delivery.target.channel, channel != .inbox else { return }
    if state.setWorking(channel, of: delivery.target.contact) { note(.contact, EntityID(delivery.target.contact)) }
  }

  /// The message failed for good, for a cause that lies with its channel.
  mutating func noteFailed(_ delivery: StoredDelivery, because reason: String) {
    guard let channel = delivery.target.channel, channel != .inbox else { return }
    if state.setFailed(channel, of: delivery.target.contact, because: reason, at: now) {
      note(.contact, EntityID(delivery.target.contact))
    }
  }
}

extension StoredDelivery {
  /// Why no attempt got through so far, where that lies with the channel. What the operator's own gateway says lies with the channel where
  /// it refuses the message; and the server itself may have failed now and then, but not as often as this.
  var faultOfChannel: String? {
    guard !isDropped, let reason, reason != Self.heldReason else { return nil }
    return refusals > 0 || !carrier.isOfOperator && attempts >= 3 ? reason : nil
  }

  /// Why a message waits that must not come amid those of an alert.
  static let heldReason = "another alert is active"
}
