/// Reads an input as a list of decisions. After its end everything is zero, so that every input is meaningful.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func flag() -> Bool { byte() & 1 == 1 }

  /// A number below `bound`, which is at least 1.
  mutating func number(below bound: Int) -> Int {
    bound <= 256 ? Int(byte()) % bound : (Int(byte()) << 16 | Int(byte()) << 8 | Int(byte())) % bound
  }

  /// One of the choices, which must not be empty.
  mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }

  /// A 64-bit number, often an edge case.
  mutating func integer() -> Int64 {
    let edges: [Int64] = [
      0, 1, -1, .max, .min, .max - 1, .min + 1, 1_790_000_000_000, 253_402_300_799_999, -62_167_219_200_000,
    ]
    let choice = Int(byte())
    if choice < edges.count { return edges[choice] }
    if choice < 128 { return Int64(byte()) }
    return (0..<8).reduce(0) { value, _ in value << 8 | Int64(byte()) }
  }

  /// Up to 255 bytes, after their count.
  mutating func bytes() -> [UInt8] {
    let count = Int(byte())
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

  mutating func optionalText() -> String? { flag() ? text() : nil }

  /// The rest of the input.
  mutating func remaining() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
}
