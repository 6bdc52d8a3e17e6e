import Model

/// Telephone calls: an HTTP gateway dials and reads a text aloud.
struct VoiceDriver: ChannelDriver {
  let gateway: GatewayTemplate

  func reasonAgainst(_ channel: Channel) -> String? { nil }

  func request(for message: DeliveryMessage, over channel: Channel, _ keys: ServerKeys) -> ChannelRequest? {
    guard let number = channel.url.split(separator: ":").last else { return nil }
    return gateway.request(to: String(number), text: VoiceText(message).text, id: message.id)
  }
}
