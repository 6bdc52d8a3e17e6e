import Model

/// Who takes the messages to channels of a kind: the channel's own host, or a server of the operator that passes them on.
enum Carrier: Sendable, Hashable {
  case channel, smsGateway, voiceGateway, mailServer

  /// In the reasons that people read.
  var name: String {
    switch self {
    case .channel: "the channel"
    case .smsGateway: "the SMS gateway"
    case .voiceGateway: "the voice gateway"
    case .mailServer: "the mail server"
    }
  }

  /// Whether it is the operator's own and carries the messages of all. What it has against the operator says nothing about a responder, and
  /// a slow answer makes it no host of which others must be protected.
  var isOfOperator: Bool { self != .channel }
}

extension Channel.Kind {
  var carrier: Carrier {
    switch self {
    case .sms: .smsGateway
    case .voice: .voiceGateway
    case .mail: .mailServer
    case .webhook, .ntfy, .app, .noChannel, .other: .channel
    }
  }
}

extension DeliveryTarget {
  var carrier: Carrier { channel?.kind.carrier ?? .channel }
}

extension StoredDelivery {
  var carrier: Carrier { target.carrier }
}
