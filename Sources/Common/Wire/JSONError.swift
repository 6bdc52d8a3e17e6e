/// Why a text is not the expected JSON.
package struct JSONError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// Invalid JSON (RFC 8259) or invalid UTF-8.
    case syntax
    /// Nested deeper than `JSONDocument.maximumDepth`.
    case tooDeep
    /// Valid JSON, but a member is missing or has another type.
    case wrongShape
  }

  package let code: Code
  /// One line for a person. Names a member, never a value.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
