/// The canonical text of 128 bits: 8-4-4-4-12 hexadecimal digits, 36 bytes.
///
/// Not generic, as `Identifier` is: ids are read and written by the dozen for each request, and generic code in another module costs
/// as much as the digits.
@usableFromInline
package enum CanonicalUUID {
  package static let byteCount = 36

  /// Reads digits of either case; nil for anything else.
  @usableFromInline package static func words(of text: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
    guard text.count == byteCount, text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash
    else { return nil }
    let bytes = UnsafeRawBufferPointer(text)
    guard let a = number(eight(bytes, 0)), let b = number(eight(bytes, 9, 14)),
      let c = number(eight(bytes, 19, 24)), let d = number(eight(bytes, 28))
    else { return nil }
    return (UInt64(a) << 32 | UInt64(b), UInt64(c) << 32 | UInt64(d))
  }

  /// Writes lower-case digits, `byteCount` bytes.
  package static func write(_ words: (UInt64, UInt64), to buffer: UnsafeMutableBufferPointer<UInt8>) {
    let second = digits(of: UInt32(truncatingIfNeeded: words.0))
    let third = digits(of: UInt32(truncatingIfNeeded: words.1 >> 32))
    let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<byteCount])
    bytes.storeBytes(of: digits(of: UInt32(truncatingIfNeeded: words.0 >> 32)), toByteOffset: 0, as: UInt64.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: 9, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32), toByteOffset: 14, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 19, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32), toByteOffset: 24, as: UInt32.self)
    bytes.storeBytes(of: digits(of: UInt32(truncatingIfNeeded: words.1)), toByteOffset: 28, as: UInt64.self)
    (bytes[8], bytes[13], bytes[18], bytes[23]) = (dash, dash, dash, dash)
  }

  /// The text, with lower-case digits.
  @usableFromInline package static func text(of words: (UInt64, UInt64)) -> String {
    String(unsafeUninitializedCapacity: byteCount) { buffer in
      write(words, to: buffer)
      return byteCount
    }
  }

  private static let dash = UInt8(ascii: "-")

  /// Eight bytes, the first one in the lowest byte.
  private static func eight(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  /// Four bytes from each place.
  private static func eight(_ bytes: UnsafeRawBufferPointer, _ first: Int, _ second: Int) -> UInt64 {
    let first = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: first, as: UInt32.self))
    let second = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: second, as: UInt32.self))
    return UInt64(second) << 32 | UInt64(first)
  }

  /// The number that the eight digits are, in either case, laid out as `digits(of:)` gives them; nil where they are none.
  private static func number(_ digits: UInt64) -> UInt32? {
    let letters = digits & 0x4040_4040_4040_4040
    var values = (digits &+ letters >> 6 &* 9) & 0x0F0F_0F0F_0F0F_0F0F
    values = values.byteSwapped
    values = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
    values = (values | values >> 8) & 0x0000_FFFF_0000_FFFF
    let number = UInt32(truncatingIfNeeded: values | values >> 16)
    return self.digits(of: number) == digits | letters >> 1 ? number : nil
  }

  /// The eight digits as they stand in memory, the first one in the lowest byte.
  private static func digits(of number: UInt32) -> UInt64 {
    // Spreads the half bytes, each into a byte of its own.
    var values = UInt64(number)
    values = (values | values << 16) & 0x0000_FFFF_0000_FFFF
    values = (values | values << 8) & 0x00FF_00FF_00FF_00FF
    values = (values | values << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // A 1 in each byte that is a letter: 10 and more reach 16 with 6.
    let letters = (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let text = values &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
    return text.byteSwapped
  }
}
