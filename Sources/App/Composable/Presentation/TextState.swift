/// Words for a person, as part of a state.
public struct TextState: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The words.
  public let text: String

  /// These words.
  public init(_ text: String) { self.text = text }

  /// These words.
  public init(stringLiteral text: String) { self.text = text }

  /// The words.
  public var description: String { text }
}
