/// The state of a child that is shown while the state is not nil. `ifLet` takes its projection, such as `\.$alert`.
///
/// ```swift
/// @Presents var alert: AlertState<Action.Alert>?
/// ```
@propertyWrapper
public struct Presents<State> {
  /// The state in the form that `ifLet` takes.
  public var projectedValue: PresentationState<State>

  /// Sets the initial state.
  public init(wrappedValue: State?) {
    projectedValue = PresentationState(wrappedValue: wrappedValue)
  }

  /// The state; nil while nothing is shown.
  public var wrappedValue: State? {
    get { projectedValue.wrappedValue }
    set { projectedValue.wrappedValue = newValue }
  }
}

extension Presents: Equatable where State: Equatable {}
extension Presents: Hashable where State: Hashable {}
extension Presents: Sendable where State: Sendable {}

/// The optional state of a presented child.
public struct PresentationState<State> {
  /// At most one state. The array allows a state that contains its own type.
  private var storage: [State]

  /// Sets the initial state.
  public init(wrappedValue: State?) {
    storage = wrappedValue.map { [$0] } ?? []
  }

  /// The state; nil while nothing is shown.
  public var wrappedValue: State? {
    get { storage.first }
    set { storage = newValue.map { [$0] } ?? [] }
  }
}

extension PresentationState: Equatable where State: Equatable {}
extension PresentationState: Hashable where State: Hashable {}
extension PresentationState: Sendable where State: Sendable {}

/// An action of a presented child.
public enum PresentationAction<Action> {
  /// The child is dismissed.
  case dismiss
  /// The child's own action.
  case presented(Action)
}

extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}
extension PresentationAction: Sendable where Action: Sendable {}
