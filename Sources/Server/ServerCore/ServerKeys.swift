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
      if let known = try stored(in: transaction) { return known }
      var entropy = moment.entropy
      guard let secret = SecretKey(bytes: entropy.bytes(SecretKey.byteCount)) else {
        throw StorageError(.internalError, "a new secret has the wrong length")
      }
      try transaction.setServerState("secret", to: secret.bytes)
      return ServerKeys(secret: secret)
    }
  }

  /// The keys of a store that has them; nil if no server has opened it yet.
  package static func read(from store: any ServerStore) throws -> ServerKeys? {
    try store.read { try stored(in: $0) }
  }

  private static func stored(in transaction: any ServerTransaction) throws -> ServerKeys? {
    guard let bytes = try transaction.serverState("secret") else { return nil }
    guard let secret = SecretKey(bytes: bytes) else {
      throw StorageError(.damaged, "the server's secret in the store is not one")
    }
    return ServerKeys(secret: secret)
  }
}
