/// One entry of the line at the bottom: a key, and what it does now.
package struct KeyHint: Hashable, Sendable {
  let key: String
  let meaning: String

  init(_ key: String, _ meaning: String) {
    self.key = key
    self.meaning = meaning
  }

  /// The keys that do something in `focus`, those that matter most first.
  static func hints(in focus: ScreenFocus) -> [KeyHint] {
    if focus.hasDialogue {
      return [Self("←→", "choose"), Self("Enter", "press"), Self("Esc", "cancel")] + alert(focus)
    }
    switch focus.panel {
    case .overview:
      return alert(focus) + scroll(focus) + [sign(focus), Self("h", "history"), Self("q", "quit")]
    case .history:
      return alert(focus) + scroll(focus) + [Self("h", "back"), sign(focus), Self("q", "quit")]
    case .phone:
      return submit(focus, "send the code") + [Self("Tab", "region"), Self("Esc", "back")] + alert(focus)
    case .code:
      return submit(focus, "sign in") + (focus.canResend ? [Self("r", "new code")] : []) + [Self("Esc", "back")]
        + alert(focus)
    }
  }

  private static func alert(_ focus: ScreenFocus) -> [KeyHint] {
    if focus.isBusy { return [] }
    guard focus.isAlertActive else { return [Self("Space ×4", "ALERT")] }
    return [Self("hold Space", "end the alert")] + (focus.hasDialogue ? [] : [Self("e", "ask to end it")])
  }

  private static func scroll(_ focus: ScreenFocus) -> [KeyHint] { focus.canScroll ? [Self("↑↓", "scroll")] : [] }

  private static func sign(_ focus: ScreenFocus) -> KeyHint { Self("s", focus.isSignedIn ? "sign out" : "sign in") }

  private static func submit(_ focus: ScreenFocus, _ meaning: String) -> [KeyHint] {
    focus.canSubmit ? [Self("Enter", meaning)] : []
  }
}
