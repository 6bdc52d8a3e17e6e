package import Model
import Wire

// A channel that the operator tries.
extension ServerCore {
  /// The request that carries a drill of nobody over the channel: to see whether a gateway, a mail server or a webhook takes messages.
  /// Throws why nothing can be sent over it.
  package func trial(of channel: Channel, at moment: ServerMoment) throws(ChannelUnavailable) -> ChannelRequest {
    guard let write = configuration.writer(over: channel) else {
      throw ChannelUnavailable(reason: configuration.reasonAgainst(channel) ?? "it is not a valid address of its kind")
    }
    return write(Self.trialMessage(over: channel, at: moment), keys)
  }

  /// Of nobody: numbers with 555-01 are for fiction. A text message says whom to call.
  private static let fictitiousPhone = "+12025550100"

  private static func trialMessage(over channel: Channel, at moment: ServerMoment) -> DeliveryMessage {
    let now = moment.now
    var entropy = moment.entropy.stream(for: "trial")
    let alert = Alert(
      id: entropy.identifier(at: now), startedAt: now, endedAt: nil,
      message: "The operator of this server is testing it.", location: nil, isDrill: true)
    let target = DeliveryTarget(
      account: entropy.identifier(at: now), alert: alert.id, contact: entropy.identifier(at: now), channel: channel)
    let delivery = StoredDelivery(
      id: entropy.identifier(at: now), target: target, contactName: "Test", notice: .activated, priority: .drill,
      state: .queued, stateAt: now, createdAt: now)
    return DeliveryMessage(
      delivery: delivery, alert: AlertRecord(alert: alert, ordinal: 1, receivedAt: now, endReceivedAt: nil),
      told: alert,
      phone: fictitiousPhone, profile: try? Profile(name: "LifeSignal"), utcOffsetMinutes: 0,
      wasTold: false, now: now)
  }
}

/// Why nothing can be sent over a channel.
package struct ChannelUnavailable: Error {
  package let reason: String
}
