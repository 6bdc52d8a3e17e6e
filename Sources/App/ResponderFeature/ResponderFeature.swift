import Clients
public import Composable
import Dependencies

/// The alerts of others that this account's person was told of, and the answers to them.
///
/// ```swift
/// let store = Store(initialState: ResponderFeature.State()) {
///   ResponderFeature()
/// }
/// store.send(.appBecameActive)
/// store.send(.alertSelected(id))
/// store.send(.answerButtonTapped(.onMyWay))
/// ```
///
/// A view sends what the person does and shows the state; it decides nothing. Actions may come in any order: one that does
/// not fit the state changes nothing.
public struct ResponderFeature: Reducer, Sendable {
  @Dependency(\.responderClient) var responderClient
  @Dependency(\.continuousClock) var clock

  /// The feature, with the dependencies that are current.
  public init() {}

  /// What can be cancelled. Answering cannot.
  enum CancelID: Hashable, Sendable { case alerts }

  /// What each action does.
  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .alertSelected(let id): select(&state, id)
      case .selectionCleared: clearSelection(&state)
      case .answerTextChanged(let text): editText(&state, text)
      case .answerButtonTapped(let answer): respond(&state, with: answer)
      case .dismissError: dismissError(&state)

      case .task, .appBecameActive: follow(&state)
      case .appBecameInactive: stopFollowing(&state)
      case .alertsChanged(let alerts): show(&state, alerts)
      case .alertsEnded: markStale(&state)
      case .respondResponse(let result): finishAnswer(&state, result)
      case .seenNotSaved(let id): forgetSeen(&state, id)
      }
    }
  }
}
