/// Why a text is not the JSON that was asked for.
package struct JSONError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// Not JSON at all: RFC 8259 or UTF-8 is broken.
    case syntax
    /// More arrays and objects inside each other than `JSONDocument.maximumDepth`.
    case tooDeep
    /// JSON, but a member is missing or has another type.
    case wrongShape
  }

  package let code: Code
  /// One line for a person. It names a member of ours, never a value.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
