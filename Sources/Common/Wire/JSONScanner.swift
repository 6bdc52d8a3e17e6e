/// Tokenizes JSON text: an object is followed by name, value, name, value…, an array by its elements.
struct JSONScanner {
  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0
  private(set) var tokens: [JSONToken] = []
  /// The tokens of the open containers, outermost first.
  private var open: [Int] = []

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    tokens.reserveCapacity(text.count / 12 + 8)
  }

  mutating func scan() throws(JSONError) {
    try value()
    while let container = open.last {
      try afterOpening(tokens[container].kind)
    }
    skipSpace()
    guard position == text.count else { throw Self.broken }
  }

  private static let broken = JSONError(.syntax, "the text is not well-formed JSON")

  /// Continues in the innermost open container: reads its end, or one more value.
  private mutating func afterOpening(_ kind: JSONToken.Kind) throws(JSONError) {
    let isFirst = open.last == tokens.count - 1
    let end: Unicode.Scalar = kind == .object ? "}" : "]"
    skipSpace()
    if skip(end) {
      close()
      return
    }
    if !isFirst {
      guard skip(",") else { throw Self.broken }
      skipSpace()
    }
    if kind == .object {
      guard skip("\"") else { throw Self.broken }
      try string()
      skipSpace()
      guard skip(":") else { throw Self.broken }
    }
    try value()
  }

  private mutating func close() {
    guard let container = open.popLast() else { return }
    tokens[container].next = Int32(tokens.count)
  }

  /// Reads a value; opens a container.
  private mutating func value() throws(JSONError) {
    skipSpace()
    guard position < text.count else { throw Self.broken }
    switch text[position] {
    case UInt8(ascii: "{"): try open(.object)
    case UInt8(ascii: "["): try open(.array)
    case UInt8(ascii: "\""):
      position += 1
      try string()
    case UInt8(ascii: "t"): try word("true", .yes)
    case UInt8(ascii: "f"): try word("false", .no)
    case UInt8(ascii: "n"): try word("null", .null)
    default: try number()
    }
  }

  private mutating func open(_ kind: JSONToken.Kind) throws(JSONError) {
    guard open.count < JSONDocument.maximumDepth else {
      throw JSONError(.tooDeep, "the JSON is nested deeper than \(JSONDocument.maximumDepth) levels")
    }
    open.append(tokens.count)
    append(kind, from: position)
    position += 1
  }

  private mutating func append(_ kind: JSONToken.Kind, from start: Int, isEscaped: Bool = false) {
    tokens.append(
      JSONToken(
        kind: kind, isEscaped: isEscaped, start: Int32(start), end: Int32(position), next: Int32(tokens.count + 1)))
  }

  private mutating func word(_ word: StaticString, _ kind: JSONToken.Kind) throws(JSONError) {
    let start = position
    for index in 0..<word.utf8CodeUnitCount {
      guard position < text.count, text[position] == word.utf8Start[index] else { throw Self.broken }
      position += 1
    }
    append(kind, from: start)
  }

  /// Reads a string from after its opening quote.
  private mutating func string() throws(JSONError) {
    let start = position
    var isEscaped = false
    while true {
      position = endOfPlainText(from: position)
      guard position < text.count else { throw Self.broken }
      switch text[position] {
      case UInt8(ascii: "\""):
        append(.string, from: start, isEscaped: isEscaped)
        position += 1
        return
      case UInt8(ascii: "\\"):
        isEscaped = true
        guard let length = JSONEscape.length(text[position...]) else { throw Self.broken }
        position += length
      default: throw Self.broken  // a control character
      }
    }
  }

  /// The position of the first quote, backslash or control character; the end of the text if there is none.
  ///
  /// Reads eight bytes at a time, and one by one those eight that have such a byte.
  private func endOfPlainText(from start: Int) -> Int {
    guard let base = text.baseAddress else { return start }
    var position = start
    while position + 8 <= text.count {
      let bytes = UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self)
      let marks =
        Self.zeroBytes(of: bytes ^ 0x2222_2222_2222_2222) | Self.zeroBytes(of: bytes ^ 0x5C5C_5C5C_5C5C_5C5C)
        | Self.zeroBytes(of: bytes & 0xE0E0_E0E0_E0E0_E0E0)
      guard marks == 0 else { break }
      position += 8
    }
    while position < text.count, !Self.isSpecial(text[position]) { position += 1 }
    return position
  }

  /// Not 0 exactly if a byte of the word is 0.
  private static func zeroBytes(of word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
  }

  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
  private mutating func number() throws(JSONError) {
    let start = position
    _ = skip("-")
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      _ = skip("+") || skip("-")
      try digits()
    }
    append(.number, from: start)
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) { position += 1 }
    guard position > start else { throw Self.broken }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }
}
