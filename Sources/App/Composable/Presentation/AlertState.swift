import Synchronization

/// The state of a dialog: a title, a message, and buttons that send actions.
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
  /// Unique within the process. `==` ignores it.
  public let id: PresentationID
  /// The title.
  public let title: TextState
  /// The message under the title; nil if the title says everything.
  public let message: TextState?
  /// The buttons, in order. If there are none, a view shows one that dismisses the alert.
  public let buttons: [ButtonState<Action>]

  /// Makes a dialog.
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
  /// Whether the texts and the buttons are equal.
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

/// Distinguishes presented values that are equal. It counts from the start of the process, and is not stored.
public struct PresentationID: Hashable, Sendable {
  private static let next = Atomic<UInt64>(0)
  private let number: UInt64

  init() {
    number = Self.next.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
