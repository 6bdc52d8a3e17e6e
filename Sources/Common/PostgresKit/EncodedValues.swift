/// Values one behind the other in one block, for C, which wants the addresses of all.
struct EncodedValues {
  private var bytes: [UInt8] = []
  /// Of each value; nil for one that is null.
  private(set) var lengths: [Int?] = []

  init() {}

  /// Texts that end with a zero, as C has them.
  init(texts: [String?]) {
    for text in texts {
      append { bytes in
        guard let text else { return nil }
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
        return text.utf8.count + 1
      }
    }
  }

  /// - Parameter encode: adds the value, and returns its length; nil for null.
  mutating func append(_ encode: (inout [UInt8]) -> Int?) { lengths.append(encode(&bytes)) }

  /// Calls `body` with the address of each value, null for null. They hold while it runs.
  mutating func withPointers<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
    // One byte more, so that an empty value behind all others has an address.
    bytes.append(0)
    defer { bytes.removeLast() }
    return bytes.withUnsafeBytes { block in
      var offset = 0
      var pointers: [UnsafePointer<CChar>?] = lengths.map { length in
        guard let length, let start = block.baseAddress else { return nil }
        defer { offset += length }
        return (start + offset).assumingMemoryBound(to: CChar.self)
      }
      // Never none, so that there is an address.
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { buffer in
        guard let first = buffer.baseAddress else { preconditionFailure("an array of one has an address") }
        return body(first)
      }
    }
  }
}
