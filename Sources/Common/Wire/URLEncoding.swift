/// Percent-encoded text: the parts of a URL, and forms.
package enum URLEncoding {
  /// `text` without its escapes; nil for an invalid escape, for text that is not UTF-8, and for a zero byte.
  package static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The fields of a query or a form (`application/x-www-form-urlencoded`); of several values of one name the last counts. Nil where one
  /// cannot be decoded.
  package static func fields(_ text: Substring) -> [String: String]? {
    var fields: [String: String] = [:]
    for part in text.split(separator: "&") {
      let equals = part.firstIndex(of: "=") ?? part.endIndex
      guard let name = decoded(part[..<equals], plusIsSpace: true),
        let value = decoded(part[equals...].dropFirst(), plusIsSpace: true)
      else { return nil }
      fields[name] = value
    }
    return fields
  }

  /// With everything escaped but unreserved characters (RFC 3986 §2.3).
  package static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return encoded
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
