/// A text for a person, as part of a state.
public struct TextState: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The text itself.
  public let text: String

  /// Makes a text of a string.
  public init(_ text: String) { self.text = text }

  /// Makes a text of a string literal.
  public init(stringLiteral text: String) { self.text = text }

  /// The text itself.
  public var description: String { text }
}
