/// One entry of the line at the bottom: a key, and what it does now.
package struct KeyHint: Hashable, Sendable {
  let key: String
  let meaning: String
  /// Where there is no room, those with the highest go first.
  let rank: Int

  init(_ key: String, _ meaning: String, rank: Int = 0) {
    self.key = key
    self.meaning = meaning
    self.rank = rank
  }

  /// The keys that do something in `focus`, those that matter most first.
  static func hints(in focus: ScreenFocus) -> [KeyHint] {
    if focus.hasDialogue {
      let answers = focus.takesAnswers ? [Self("Enter", "press"), Self("Esc", "cancel")] : []
      return [Self("←→", "choose")] + answers + alert(focus)
    }
    switch focus.panel {
    case .overview:
      return alert(focus) + scroll(focus) + [sign(focus), Self("h", "history", rank: 2), Self("q", "quit", rank: 1)]
    case .history:
      return alert(focus) + scroll(focus) + [Self("h", "back", rank: 2), sign(focus), Self("q", "quit", rank: 1)]
    case .phone:
      return submit(focus, "send the code") + [Self("Tab", "region")] + leave(focus)
    case .code:
      return submit(focus, "sign in") + (focus.canResend ? [Self("r", "new code")] : []) + leave(focus)
    }
  }

  private static func alert(_ focus: ScreenFocus) -> [KeyHint] {
    if focus.isBusy || focus.isTyping { return [] }
    guard focus.isAlertActive else {
      return [focus.mustLetGo ? Self("Space", "let go first") : Self("Space ×4", "ALERT")]
    }
    return [Self("hold Space", "end the alert")] + (focus.hasDialogue ? [] : [Self("e", "ask to end it", rank: 3)])
  }

  /// The way out of a field, where Space is not the alert's key.
  private static func leave(_ focus: ScreenFocus) -> [KeyHint] {
    if focus.isBusy { return [Self("Esc", "back")] }
    guard focus.isAlertActive else {
      return [Self(focus.panel == .code ? "Esc Esc" : "Esc", "back, then Space ×4: ALERT")]
    }
    return [Self("Esc", "back"), Self("e", "ask to end it")]
  }

  private static func scroll(_ focus: ScreenFocus) -> [KeyHint] {
    focus.canScroll ? [Self("↑↓", "scroll", rank: 5)] : []
  }

  private static func sign(_ focus: ScreenFocus) -> KeyHint {
    Self("s", focus.isSignedIn ? "sign out" : "sign in", rank: 4)
  }

  private static func submit(_ focus: ScreenFocus, _ meaning: String) -> [KeyHint] {
    focus.canSubmit ? [Self("Enter", meaning)] : []
  }
}
