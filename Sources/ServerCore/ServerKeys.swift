/// The server's secret, from which every other key is derived. Made once from entropy, kept in the store.
package struct ServerKeys: Sendable {
  package static let secretBytes = 32
  package let secret: [UInt8]

  package init(secret: [UInt8]) {
    precondition(secret.count == Self.secretBytes, "the server's secret has 32 bytes")
    self.secret = secret
  }

  /// The keys of this store; on the first start they are made from `moment` and stored.
  package static func load(from store: any ServerStore, at moment: ServerMoment) throws -> ServerKeys {
    try store.write { transaction in
      if let secret = try transaction.serverState("secret"), secret.count == secretBytes {
        return ServerKeys(secret: secret)
      }
      let secret = moment.entropy.bytes(secretBytes, for: "server-secret")
      try transaction.setServerState("secret", to: secret)
      return ServerKeys(secret: secret)
    }
  }
}
