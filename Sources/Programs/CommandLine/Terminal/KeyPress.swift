/// What a person's keys mean to a prompt.
enum KeyPress: Equatable {
  case press
  /// q, Escape, Ctrl-C or Ctrl-D.
  case leave

  /// Reads what arrived in one piece. A terminal sends an arrow or function key as an escape and more bytes in the same
  /// piece: that is neither a press nor a wish to leave. A letter of several bytes is one press.
  static func decode(_ bytes: some Sequence<UInt8>) -> [KeyPress] {
    var keys: [KeyPress] = []
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x1B where rest.isEmpty: keys.append(.leave)
      case 0x1B: skipSequence(&rest)
      case 0x03, 0x04, UInt8(ascii: "q"), UInt8(ascii: "Q"): keys.append(.leave)
      case 0x80..<0xC0: break
      default: keys.append(.press)
      }
    }
    return keys
  }

  /// Steps over a control sequence (ECMA-48 §5.4) whose escape has been read.
  private static func skipSequence(_ rest: inout ArraySlice<UInt8>) {
    guard let introducer = rest.popFirst() else { return }
    if introducer == UInt8(ascii: "O") {
      _ = rest.popFirst()
    } else if introducer == UInt8(ascii: "[") {
      while let byte = rest.popFirst(), !(0x40...0x7E).contains(byte) {}
    }
  }
}
