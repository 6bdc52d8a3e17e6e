/// The meaning of a key at the prompt.
enum KeyPress: Equatable {
  case press
  /// q, Escape, Ctrl-C or Ctrl-D.
  case leave

  /// Decodes bytes that arrived together. A terminal sends an arrow or function key as an escape with more bytes: that is
  /// one press, and not Escape. A letter of several bytes is one press too.
  static func decode(_ bytes: some Sequence<UInt8>) -> [KeyPress] {
    var keys: [KeyPress] = []
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x1B where rest.isEmpty: keys.append(.leave)
      case 0x1B:
        skipSequence(&rest)
        keys.append(.press)
      case 0x03, 0x04, UInt8(ascii: "q"), UInt8(ascii: "Q"): keys.append(.leave)
      case 0x80..<0xC0: break
      default: keys.append(.press)
      }
    }
    return keys
  }

  /// Skips a control sequence (ECMA-48 §5.4) after its escape.
  private static func skipSequence(_ rest: inout ArraySlice<UInt8>) {
    guard let introducer = rest.popFirst() else { return }
    if introducer == UInt8(ascii: "O") {
      _ = rest.popFirst()
    } else if introducer == UInt8(ascii: "[") {
      while let byte = rest.popFirst(), !(0x40...0x7E).contains(byte) {}
    }
  }
}
