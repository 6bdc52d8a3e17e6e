package import Secrets

/// The server's secret, from which every other key is derived. Made once from entropy, kept in the store.
package struct ServerKeys: Sendable {
  package let secret: SecretKey

  package init(secret: SecretKey) {
    self.secret = secret
  }

  /// The keys of this store; on the first start they are made from `moment` and stored. Throws `StorageError`.
  package static func load(from store: any ServerStore, at moment: ServerMoment) throws -> ServerKeys {
    try store.write { transaction in
      if let bytes = try transaction.serverState("secret") {
        guard let secret = SecretKey(bytes: bytes) else {
          throw StorageError(.damaged, "the server's secret in the store is not one")
        }
        return ServerKeys(secret: secret)
      }
      var entropy = moment.entropy
      guard let secret = SecretKey(bytes: entropy.bytes(SecretKey.byteCount)) else {
        throw StorageError(.internalError, "a new secret has the wrong length")
      }
      try transaction.setServerState("secret", to: secret.bytes)
      return ServerKeys(secret: secret)
    }
  }
}
