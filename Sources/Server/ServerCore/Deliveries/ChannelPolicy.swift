import Model

extension ServerConfiguration {
  /// Whether this server accepts the channel: plain HTTP only if private channels are allowed.
  func accepts(_ channel: Channel) -> Bool {
    allowsPrivateChannels || !channel.isPlain
  }

  /// Why nothing can be sent over the channel; nil if it can.
  func reasonAgainst(_ channel: Channel?) -> String? {
    guard let channel else { return "no channel" }
    switch channel.kind {
    case .noChannel: return "no channel"
    case .mail: return "this server cannot send mail yet"
    case .sms: return "this server cannot send SMS yet"
    case .other: return "this server does not know this kind of channel"
    case .webhook, .ntfy: return accepts(channel) ? nil : "this server does not send over plain HTTP"
    }
  }
}
