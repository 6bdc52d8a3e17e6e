import CSodium

/// SHA-256 (FIPS 180-4), for hashes that others compute too.
package enum SHA256 {
  package static let byteCount = 32

  package static func of(_ message: [UInt8]) -> [UInt8] {
    Sodium.ready
    var hash = [UInt8](repeating: 0, count: byteCount)
    crypto_hash_sha256(&hash, message, UInt64(message.count))
    return hash
  }
}
