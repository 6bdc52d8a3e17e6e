import Model

/// What the server does with one kind of channel: which it accepts, and how it writes a message and sends it.
protocol ChannelDriver: Sendable {
  /// Why nothing can be sent over the channel; nil if it can.
  func reasonAgainst(_ channel: Channel) -> String?
  /// What writes the requests that carry messages over the channel; nil for another kind of channel.
  func writer(over channel: Channel) -> RequestWriter?
}

/// Writes the request that carries a message. It takes longer than to decide about the message.
typealias RequestWriter = @Sendable (DeliveryMessage, ServerKeys) -> ChannelRequest

extension ServerConfiguration {
  /// Whether this server keeps the channel of a contact: plain HTTP only if private channels are allowed.
  func accepts(_ channel: Channel) -> Bool {
    (allowsPrivateChannels || !channel.isPlain) && channel.kind != .app
  }

  /// Why nothing can be sent over the channel; nil if it can.
  func reasonAgainst(_ channel: Channel?) -> String? {
    guard let channel, channel.kind != .noChannel else { return "no channel" }
    if leavesChannelsToServers { return nil }
    // An older server kept it.
    if channel.isMalformed { return Channel.unusableReason }
    guard let driver = driver(of: channel.kind) else { return Self.reasonWithoutDriver(of: channel.kind) }
    return driver.reasonAgainst(channel)
  }

  /// The kinds of channels over which this server can send: those that have a driver.
  var channelKinds: [Channel.Kind] { Channel.Kind.allCases.filter { driver(of: $0) != nil } }

  /// What writes the requests over the channel; nil where nothing can be sent over it.
  func writer(over channel: Channel) -> RequestWriter? {
    reasonAgainst(channel) == nil ? driver(of: channel.kind)?.writer(over: channel) : nil
  }

  /// Nil for a kind that this server cannot serve.
  func driver(of kind: Channel.Kind) -> (any ChannelDriver)? {
    switch kind {
    case .webhook: WebhookDriver(allowsPrivateChannels: allowsPrivateChannels)
    case .ntfy: NtfyDriver(allowsPrivateChannels: allowsPrivateChannels)
    case .mail: mailServer.map { MailDriver(server: $0) }
    case .sms: smsGateway.map { TelephoneDriver.messages($0) }
    case .voice: voiceGateway.map { TelephoneDriver.calls($0) }
    case .app, .noChannel, .other: nil
    }
  }

  private static func reasonWithoutDriver(of kind: Channel.Kind) -> String {
    switch kind {
    case .mail: "this server has no mail server"
    case .sms: "this server has no SMS gateway"
    case .voice: "this server has no voice gateway"
    case .webhook, .ntfy, .app, .noChannel, .other: "this server does not know this kind of channel"
    }
  }
}

extension Channel {
  static let unusableReason = "nothing can be sent to this address"

  /// The host that is asked, so that a slow one holds up nobody else: telephones share a gateway, mailboxes the operator's mail server.
  package var deliveryHost: String {
    switch kind {
    case .sms: "sms:"
    case .voice: "tel:"
    case .mail: "mailto:"
    case .webhook, .ntfy, .app, .noChannel, .other: host ?? ""
    }
  }
}
