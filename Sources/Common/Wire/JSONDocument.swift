/// A JSON text (RFC 8259), checked once and read in place.
///
/// The whole text is scanned into a flat list of tokens, without recursion: a deep text costs no stack, and one deeper than
/// `maximumDepth` is refused. Strings and numbers are only made when somebody asks for them. Exactly RFC 8259 in valid UTF-8
/// is accepted: no comments, no byte order mark, no lone surrogates, nothing behind the value.
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

  /// Throws where `bytes` is not one JSON value.
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

/// One value, or one name of a member, of a `JSONDocument`.
struct JSONToken {
  enum Kind: UInt8 {
    case object, array, string, number, yes, no, null
  }

  var kind: Kind
  /// A string that has escapes.
  var isEscaped = false
  /// The bytes of a string without its quotes, of a number; meaningless otherwise.
  var start: Int32
  var end: Int32
  /// The index of the token behind this value and all that is inside it.
  var next: Int32
}
