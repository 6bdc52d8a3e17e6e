import Model

/// Text messages, through an HTTP gateway.
struct SMSDriver: ChannelDriver {
  let gateway: GatewayTemplate

  func reasonAgainst(_ channel: Channel) -> String? { nil }

  func request(for message: DeliveryMessage, over channel: Channel, _ keys: ServerKeys) -> ChannelRequest? {
    guard let number = channel.url.split(separator: ":").last else { return nil }
    return gateway.request(to: String(number), text: MessageText(message).short, id: message.id)
  }
}
