/// A child's state that is shown while it is not nil. Its projection, `$alert`, is what `ifLet` asks for.
///
/// ```swift
/// @Presents var alert: AlertState<Action.Alert>?
/// ```
@propertyWrapper
public struct Presents<State> {
  /// The state, and what `ifLet` knows of it.
  public var projectedValue: PresentationState<State>

  /// Begins with `wrappedValue`.
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

/// A state that may be there, of something that is presented.
public struct PresentationState<State> {
  private var storage: [State]

  /// Begins with `wrappedValue`.
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

/// What happens to something that is presented.
public enum PresentationAction<Action> {
  /// It is put away.
  case dismiss
  /// Something happened inside it.
  case presented(Action)
}

extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}
extension PresentationAction: Sendable where Action: Sendable {}
