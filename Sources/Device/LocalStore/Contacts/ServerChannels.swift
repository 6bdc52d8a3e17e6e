package import Model

/// The kinds of channels over which the server can send, as it said last.
package struct ServerChannels: Hashable, Sendable {
  /// As the server names them; nil while it has not said, as an old server never does.
  package var kinds: Set<String>?

  package init(kinds: Set<String>?) {
    self.kinds = kinds
  }

  /// False only where the server is known not to send over this kind of channel. A kind that this device does not know may be one that
  /// the server does.
  package func canServe(_ channel: Channel) -> Bool {
    guard let kinds, channel.kind != .other else { return true }
    return kinds.contains(channel.kind.rawValue)
  }

  /// The channels that cannot be served.
  package func unsupported(of details: ContactDetails) -> [Channel] {
    details.channels.filter { !canServe($0) }
  }
}

extension LocalStore {
  /// The kinds of channels that the server can serve.
  package func serverChannels() throws(LocalStoreError) -> ServerChannels {
    try file.read { try $0.serverChannels() }
  }
}

extension StoreReading {
  func serverChannels() throws -> ServerChannels {
    ServerChannels(kinds: try value(of: .serverChannels).map { Set($0.split(separator: " ").map { String($0) }) })
  }
}
