/// Writes fixed-width decimal fields as ASCII, for dates.
struct DigitWriter {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  /// Writes into `buffer`, which must be large enough for all that follows.
  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    self.buffer = buffer
  }

  /// `number`, not negative, with leading zeros to `width`, and a separator after it.
  mutating func digits(_ number: Int64, _ width: Int, then separator: Unicode.Scalar) {
    var rest = number
    for index in stride(from: count + width - 1, through: count, by: -1) {
      buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    buffer[count + width] = UInt8(ascii: separator)
    count += width + 1
  }
}
