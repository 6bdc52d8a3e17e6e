import CSodium

/// HMAC-SHA256 (RFC 2104, RFC 6234), the signature of Standard Webhooks.
package enum HMACSHA256 {
  package static let byteCount = 32

  /// The code for `message` with a key of any length.
  package static func of(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    Sodium.ready
    var state = crypto_auth_hmacsha256_state()
    var code = [UInt8](repeating: 0, count: byteCount)
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    crypto_auth_hmacsha256_final(&state, &code)
    sodium_memzero(&state, MemoryLayout.size(ofValue: state))
    return code
  }
}
