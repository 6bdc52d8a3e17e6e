import CSodium

/// Base64 with padding (RFC 4648 §4), in constant time.
package enum Base64 {
  package static func encode(_ bytes: [UInt8]) -> String {
    encoded(bytes, sodium_base64_VARIANT_ORIGINAL)
  }

  /// Nil where `text` is not the canonical form.
  package static func decode(_ text: String) -> [UInt8]? {
    decoded(text, sodium_base64_VARIANT_ORIGINAL)
  }
}

/// Base64 for URLs and file names, without padding (RFC 4648 §5), in constant time.
package enum Base64URL {
  package static func encode(_ bytes: [UInt8]) -> String {
    encoded(bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
  }

  /// Nil where `text` is not the canonical form.
  package static func decode(_ text: String) -> [UInt8]? {
    decoded(text, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
  }
}

private func encoded(_ bytes: [UInt8], _ variant: Int32) -> String {
  Sodium.ready
  var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
  sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
  return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

private func decoded(_ text: String, _ variant: Int32) -> [UInt8]? {
  Sodium.ready
  // libsodium reads some non-ASCII bytes as digits.
  guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
  let characters = text.utf8.map(CChar.init(bitPattern:))
  var bytes = [UInt8](repeating: 0, count: characters.count + 1)
  var count = 0
  let status = sodium_base642bin(
    &bytes, bytes.count, characters, characters.count, nil, &count, nil, variant)
  return status == 0 ? Array(bytes.prefix(count)) : nil
}
