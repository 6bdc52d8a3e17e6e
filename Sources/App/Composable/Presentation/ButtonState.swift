/// A button, as part of a state.
public struct ButtonState<Action>: Identifiable {
  /// What choosing a button means.
  public enum Role: Hashable, Sendable {
    /// Leaves things as they are.
    case cancel
    /// Does what cannot be taken back.
    case destructive
  }

  /// Its place: one of a kind while the program runs. Two buttons that say and do the same are equal all the same.
  public let id: PresentationID
  /// What choosing it means; nil for an ordinary one.
  public let role: Role?
  /// What is sent when it is chosen; nil where it only puts the alert away.
  public let action: Action?
  /// What is written on it.
  public let label: TextState

  /// A button with its action before its label.
  public init(role: Role? = nil, action: Action? = nil, label: () -> TextState) {
    id = PresentationID()
    self.role = role
    self.action = action
    self.label = label()
  }

  /// A button with its action behind its label.
  public init(role: Role? = nil, label: () -> TextState, action: () -> Action) {
    self.init(role: role, action: action(), label: label)
  }
}

extension ButtonState: Equatable where Action: Equatable {
  /// Whether they say and do the same.
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

/// Lists buttons by writing one under the other.
@resultBuilder
public enum ButtonStateBuilder<Action> {
  /// One button.
  public static func buildExpression(_ button: ButtonState<Action>) -> [ButtonState<Action>] { [button] }
  /// All of them, in order.
  public static func buildBlock(_ buttons: [ButtonState<Action>]...) -> [ButtonState<Action>] { buttons.flatMap { $0 } }
  /// Buttons that are there under a condition only.
  public static func buildOptional(_ buttons: [ButtonState<Action>]?) -> [ButtonState<Action>] { buttons ?? [] }
  /// The first of two.
  public static func buildEither(first buttons: [ButtonState<Action>]) -> [ButtonState<Action>] { buttons }
  /// The second of two.
  public static func buildEither(second buttons: [ButtonState<Action>]) -> [ButtonState<Action>] { buttons }
  /// As many as the loop makes.
  public static func buildArray(_ buttons: [[ButtonState<Action>]]) -> [ButtonState<Action>] { buttons.flatMap { $0 } }
}
