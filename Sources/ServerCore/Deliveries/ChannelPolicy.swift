import Model

extension ServerConfiguration {
  /// Whether this server takes the channel: plain HTTP only where private channels are allowed.
  func accepts(_ channel: Channel) -> Bool {
    allowsPrivateChannels || !channel.isPlain
  }
}
