/// Writes JSON (RFC 8259) in call order without whitespace: the same calls produce the same bytes.
///
/// `raw(_:)` embeds JSON that was written before, such as a queued mutation's body, without parsing it. The writer inserts
/// commas; the caller must alternate keys and values inside an object.
///
/// ```swift
/// var json = JSONWriter()
/// json.object {
///   $0.member("id", id.description)
///   $0.key("mutations"); $0.array { for mutation in queue { $0.raw(mutation.json) } }
/// }
/// ```
package struct JSONWriter: Sendable {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  package mutating func object(_ members: (inout Self) -> Void) {
    enclosed("{", "}", members)
  }

  package mutating func array(_ elements: (inout Self) -> Void) {
    enclosed("[", "]", elements)
  }

  /// The name of the next value in an object.
  package mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var text = value
    text.withUTF8 { utf8 in
      if Self.needEscape(utf8) {
        for byte in utf8 { escape(byte) }
      } else {
        bytes.append(contentsOf: utf8)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func integer(_ value: some BinaryInteger) { token(String(value)) }

  /// A finite number in its shortest exact form; infinity and NaN become null, because JSON cannot represent them.
  package mutating func number(_ value: Double) { token(value.isFinite ? value.description : "null") }

  package mutating func boolean(_ value: Bool) { token(value ? "true" : "false") }

  package mutating func null() { token("null") }

  /// A complete JSON value that was written before.
  package mutating func raw(_ json: String) { token(json) }

  // Members for the common types of value. Nil is written as null.

  package mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  package mutating func member(_ name: String, _ value: Bool) {
    key(name)
    boolean(value)
  }

  package mutating func member(_ name: String, _ value: (some BinaryInteger)?) {
    key(name)
    if let value { integer(value) } else { null() }
  }

  private mutating func enclosed(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ content: (inout Self) -> Void) {
    separate()
    bytes.append(UInt8(ascii: open))
    needsComma = false
    content(&self)
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  private mutating func token(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Whether any byte does. Looks at eight at a time: most strings need none.
  private static func needEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var place = 0
    while place + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let found = below(0x20, word) | below(1, word ^ 0x2222_2222_2222_2222) | below(1, word ^ 0x5C5C_5C5C_5C5C_5C5C)
      if found != 0 { return true }
      place += 8
    }
    return bytes[place...].contains(where: needsEscape)
  }

  /// Not 0 if a byte of `word` is below `bound`, which is at most 0x80.
  private static func below(_ bound: UInt64, _ word: UInt64) -> UInt64 {
    (word &- bound &* 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func escape(_ byte: UInt8) {
    guard Self.needsEscape(byte) else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "\\"))
    guard byte < 0x20 else { return bytes.append(byte) }
    bytes.append(contentsOf: "u00".utf8)
    bytes.append(UInt8(ascii: "0") + byte >> 4)
    bytes.append(byte & 0xF < 10 ? UInt8(ascii: "0") + byte & 0xF : UInt8(ascii: "a") + byte & 0xF - 10)
  }
}
