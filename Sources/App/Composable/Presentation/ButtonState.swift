/// The state of a button.
public struct ButtonState<Action>: Identifiable {
  /// The purpose of a button.
  public enum Role: Hashable, Sendable {
    /// Changes nothing.
    case cancel
    /// Does something that cannot be undone.
    case destructive
  }

  /// Unique within the process. `==` ignores it.
  public let id: PresentationID
  /// Its purpose; nil for an ordinary button.
  public let role: Role?
  /// The action that it sends; nil if it only dismisses the alert.
  public let action: Action?
  /// The text on it.
  public let label: TextState

  /// Makes a button; the action is written before the label.
  public init(role: Role? = nil, action: Action? = nil, label: () -> TextState) {
    id = PresentationID()
    self.role = role
    self.action = action
    self.label = label()
  }

  /// Makes a button; the action is written after the label.
  public init(role: Role? = nil, label: () -> TextState, action: () -> Action) {
    self.init(role: role, action: action(), label: label)
  }
}

extension ButtonState: Equatable where Action: Equatable {
  /// Whether the roles, the actions and the labels are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.role == right.role && left.action == right.action && left.label == right.label
  }
}

extension ButtonState: Hashable where Action: Hashable {
  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(role)
    hasher.combine(action)
    hasher.combine(label)
  }
}

extension ButtonState: Sendable where Action: Sendable {}

/// Builds a list of buttons from statements.
@resultBuilder
public enum ButtonStateBuilder<Action> {
  /// One button.
  public static func buildExpression(_ button: ButtonState<Action>) -> [ButtonState<Action>] { [button] }
  /// All of them, in order.
  public static func buildBlock(_ buttons: [ButtonState<Action>]...) -> [ButtonState<Action>] { buttons.flatMap { $0 } }
  /// The buttons of an `if` without `else`.
  public static func buildOptional(_ buttons: [ButtonState<Action>]?) -> [ButtonState<Action>] { buttons ?? [] }
  /// The buttons of the first branch.
  public static func buildEither(first buttons: [ButtonState<Action>]) -> [ButtonState<Action>] { buttons }
  /// The buttons of the second branch.
  public static func buildEither(second buttons: [ButtonState<Action>]) -> [ButtonState<Action>] { buttons }
  /// The buttons of all passes of a loop.
  public static func buildArray(_ buttons: [[ButtonState<Action>]]) -> [ButtonState<Action>] { buttons.flatMap { $0 } }
}
