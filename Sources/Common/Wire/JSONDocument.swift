/// A JSON text (RFC 8259), checked once and read in place.
///
/// The text is scanned into a flat list of tokens without recursion, so nesting uses no stack, and text deeper than
/// `maximumDepth` is refused. Strings and numbers are decoded on access. Accepts exactly RFC 8259 in valid UTF-8: no
/// comments, no byte order mark, no lone surrogates, nothing after the value.
///
/// ```swift
/// let root = try JSONDocument(bytes).root
/// let limit = try root.optionalInteger("limit")
/// for element in try root.array("mutations") { try element.string("kind") }
/// ```
package final class JSONDocument: Sendable {
  package static let maximumDepth = 32

  let bytes: [UInt8]
  let tokens: [JSONToken]

  /// Throws if `bytes` is not exactly one JSON value.
  package init(_ bytes: [UInt8]) throws(JSONError) {
    guard bytes.count < Int(Int32.max), String(validating: bytes, as: UTF8.self) != nil else {
      throw JSONError(.syntax, "the text must be UTF-8")
    }
    self.bytes = bytes
    tokens = try bytes.withUnsafeBufferPointer { text throws(JSONError) in
      var scanner = JSONScanner(text)
      try scanner.scan()
      return scanner.tokens
    }
  }

  package var root: JSONValue { JSONValue(document: self, index: 0) }
}

/// One value, or one member's name, of a `JSONDocument`.
struct JSONToken {
  enum Kind: UInt8 {
    case object, array, string, number, yes, no, null
  }

  var kind: Kind
  /// Whether a string contains escapes.
  var isEscaped = false
  /// The bytes of a number, or of a string without its quotes; meaningless for other kinds.
  var start: Int32
  var end: Int32
  /// The index of the first token after this value and its contents.
  var next: Int32
}
