import Synchronization

/// A dialogue, as part of a state: a title, a message, and buttons that send actions.
///
/// ```swift
/// AlertState {
///   TextState("Sign Out")
/// } actions: {
///   ButtonState(role: .destructive, action: .confirmSignOut) { TextState("Sign Out") }
///   ButtonState(role: .cancel) { TextState("Cancel") }
/// } message: {
///   TextState("Are you sure you want to sign out?")
/// }
/// ```
public struct AlertState<Action>: Identifiable {
  /// One of a kind while the program runs. Two alerts that say and do the same are equal all the same.
  public let id: PresentationID
  /// The title.
  public let title: TextState
  /// The message under it; nil where the title says all.
  public let message: TextState?
  /// The buttons, in order. Without any, a view shows one that puts the alert away.
  public let buttons: [ButtonState<Action>]

  /// A dialogue.
  public init(
    title: () -> TextState, @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil
  ) {
    id = PresentationID()
    self.title = title()
    self.message = message?()
    buttons = actions()
  }
}

extension AlertState: Equatable where Action: Equatable {
  /// Whether they say and do the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.title == right.title && left.message == right.message && left.buttons == right.buttons
  }
}

extension AlertState: Hashable where Action: Hashable {
  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(title)
    hasher.combine(message)
    hasher.combine(buttons)
  }
}

extension AlertState: Sendable where Action: Sendable {}

/// Tells apart what is presented. It counts from the start of the program and is stored nowhere.
public struct PresentationID: Hashable, Sendable {
  private static let next = Atomic<UInt64>(0)
  private let number: UInt64

  init() {
    number = Self.next.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
