/// The escapes of JSON's strings, RFC 8259 §7.
package enum JSONEscape {
  /// `text` as the content of a string, without its quotes.
  package static func escaped(_ text: String) -> String {
    var json = JSONWriter()
    json.string(text)
    return String(String(decoding: json.bytes, as: UTF8.self).dropFirst().dropLast())
  }

  /// The length in bytes of the escape at the start of `text`, whose first byte is a backslash; nil if it is invalid. A
  /// surrogate pair counts as one escape; a lone surrogate is invalid.
  static func length(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    let rest = text.dropFirst()
    guard let letter = rest.first else { return nil }
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      return scalar(text)?.length
    default: return nil
    }
  }

  /// The scalar of a `\uXXXX`, or of a pair of them, at the start of `text`.
  static func scalar(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> (scalar: Unicode.Scalar, length: Int)? {
    guard let first = codeUnit(text) else { return nil }
    if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
    guard (0xD800...0xDBFF).contains(first), let second = codeUnit(text.dropFirst(6)),
      (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    else { return nil }
    return (scalar, 12)
  }

  /// The decoded text of `escaped`, which the scanner has validated.
  static func decoded(_ escaped: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(escaped.count)
    var rest = escaped
    while let byte = rest.first {
      guard byte == UInt8(ascii: "\\"), let letter = rest.dropFirst().first else {
        result.append(byte)
        rest = rest.dropFirst()
        continue
      }
      if letter == UInt8(ascii: "u"), let (scalar, length) = scalar(rest) {
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        rest = rest.dropFirst(length)
      } else {
        result.append(character(letter))
        rest = rest.dropFirst(2)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func character(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  private static func codeUnit(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> UInt16? {
    let start = text.startIndex
    guard text.count >= 6, text[start] == UInt8(ascii: "\\"), text[start + 1] == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    for byte in text[(start + 2)..<(start + 6)] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return unit
  }
}
