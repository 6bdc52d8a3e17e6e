/// Decodes a keyboard's bytes as UTF-8. An invalid byte is dropped without affecting the next character.
package struct CharacterDecoder: Hashable, Sendable {
  private var begun: [UInt8] = []
  private var missing = 0

  package init() {}

  /// The character that `byte` completes; nil if it completes none.
  package mutating func character(_ byte: UInt8) -> Unicode.Scalar? {
    if missing > 0, byte & 0xC0 == 0x80 {
      begun.append(byte)
      missing -= 1
      return missing == 0 ? finished() : nil
    }
    begun = []
    missing = Self.continuationCount(byte)
    if missing > 0 { begun = [byte] }
    return byte < 0x80 ? Unicode.Scalar(byte) : nil
  }

  private func finished() -> Unicode.Scalar? {
    String(validating: begun, as: UTF8.self)?.unicodeScalars.first
  }

  private static func continuationCount(_ first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 1
    case 0xE0...0xEF: 2
    case 0xF0...0xF4: 3
    default: 0
    }
  }
}
