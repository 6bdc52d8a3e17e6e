import CSodium

/// A 32-byte secret. Never printed, never compared with `==`, and written only explicitly.
package struct SecretKey: Sendable, CustomStringConvertible, CustomReflectable {
  package static let byteCount = 32
  package let bytes: [UInt8]

  /// Nil unless there are exactly `byteCount` bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  private init(hash: [UInt8]) {
    bytes = hash
  }

  /// A new key from the kernel's generator, for shells.
  package static func live() -> Self {
    Self(hash: RandomBytes.live(byteCount))
  }

  /// Derives a key for one purpose, from which this key cannot be computed. The same purpose gives the same key.
  package func derived(for purpose: String) -> Self {
    Self(hash: KeyedHash.of(Array(purpose.utf8), key: self))
  }

  package var description: String { "SecretKey" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// BLAKE2b-256 with a key (RFC 7693 §2.9). Without the key, a hash neither reveals its message, however short, nor confirms a
/// guess.
package enum KeyedHash {
  package static let byteCount = 32

  package static func of(_ message: [UInt8], key: SecretKey) -> [UInt8] {
    genericHash(message, key: key.bytes, byteCount: byteCount)
  }
}

/// BLAKE2b of any length up to 64 bytes, with a key of up to 64 bytes or none.
func genericHash(_ message: [UInt8], key: [UInt8], byteCount: Int) -> [UInt8] {
  Sodium.ready
  var hash = [UInt8](repeating: 0, count: byteCount)
  let status = crypto_generichash(&hash, byteCount, message, UInt64(message.count), key, key.count)
  precondition(status == 0, "BLAKE2b takes 1 to 64 bytes of output and at most 64 bytes of key")
  return hash
}
