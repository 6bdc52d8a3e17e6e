/// Reads fixed-width decimal fields from ASCII text, for dates.
struct DigitReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  /// Reads from `bytes`, which must outlive the reader.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }

  /// The next `count` characters as a number; nil if one of them is not a digit.
  mutating func digits(_ count: Int) -> Int64? {
    guard position + count <= bytes.count else { return nil }
    var value: Int64 = 0
    for index in position..<position + count {
      let byte = bytes[index]
      guard byte.isASCIIDigit else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    position += count
    return value
  }

  /// Skips `character` if it is next; returns whether it was.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  /// An optional fraction of a second, truncated to milliseconds; nil where a point has no digit behind it.
  mutating func fractionMilliseconds() -> Int64? {
    guard skip(".") else { return 0 }
    var value: Int64 = 0
    var count = 0
    while let digit = digits(1) {
      if count < 3 { value = value * 10 + digit }
      count += 1
    }
    guard count > 0 else { return nil }
    for _ in 0..<max(0, 3 - count) { value *= 10 }
    return value
  }

  /// `Z`, or an offset as minutes east of UTC.
  mutating func offsetMinutes() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int64
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 60 + minutes)
  }
}
