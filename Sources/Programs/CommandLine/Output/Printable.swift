import Wire

extension String {
  /// Safe for a terminal: control characters, which could move its cursor or worse, become blanks. For text from other devices and
  /// from servers.
  var printable: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(scalar.isControl ? " " : scalar) }
    return String(scalars)
  }
}

extension [UInt8] {
  /// JSON that is safe for a terminal: escapes the control characters that JSON allows unescaped, as `\u009b`.
  var printableJSON: [UInt8] {
    // In UTF-8 all of them except DEL begin with these bytes, and they occur only in strings.
    guard contains(where: { $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 }) else { return self }
    var text = String.UnicodeScalarView()
    for scalar in String(decoding: self, as: UTF8.self).unicodeScalars {
      guard scalar.isControl, scalar.value >= 0x7F else {
        text.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      text.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
    }
    return Self(String(text).utf8)
  }
}
