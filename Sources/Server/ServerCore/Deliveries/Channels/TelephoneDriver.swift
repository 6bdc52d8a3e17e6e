import Model

/// A telephone, through an HTTP gateway that sends a text message, or calls and reads a text aloud.
struct TelephoneDriver: ChannelDriver {
  let gateway: GatewayTemplate
  let text: @Sendable (DeliveryMessage) -> String

  static func messages(_ gateway: GatewayTemplate) -> Self { Self(gateway: gateway) { MessageText($0).short } }

  static func calls(_ gateway: GatewayTemplate) -> Self { Self(gateway: gateway) { VoiceText($0).text } }

  func reasonAgainst(_ channel: Channel) -> String? { nil }

  func writer(over channel: Channel) -> RequestWriter? {
    guard let number = channel.telephone else { return nil }
    return { [gateway, text] message, _ in gateway.request(to: number, text: text(message), id: message.id) }
  }
}

extension Channel {
  /// The number of a telephone, in E.164; nil for another kind of channel.
  var telephone: String? { kind == .sms || kind == .voice ? String(url.drop { $0 != "+" }) : nil }
}
