/// One entry of the line at the bottom: a key, and what it does now.
package struct KeyHint: Hashable, Sendable {
  let key: String
  let meaning: String
  /// If there is no room, hints with the highest rank are dropped first.
  let rank: Int

  init(_ key: String, _ meaning: String, rank: Int = 0) {
    self.key = key
    self.meaning = meaning
    self.rank = rank
  }

  /// The keys that do something in `focus`, the most important first.
  static func hints(in focus: ScreenFocus) -> [KeyHint] {
    if focus.hasDialog {
      let answers = focus.takesAnswers ? [Self("Enter", KeyTexts.press), Self("Esc", KeyTexts.cancel)] : []
      return [Self("←→", KeyTexts.choose)] + answers + alert(focus)
    }
    switch focus.panel {
    case .overview:
      return called(focus) + alert(focus) + scroll(focus)
        + [sign(focus), help] + idleInbox(focus) + [Self("h", KeyTexts.history, rank: 3), quit]
    case .history:
      return called(focus) + alert(focus) + scroll(focus)
        + [Self("h", KeyTexts.back, rank: 3), sign(focus), help] + idleInbox(focus) + [quit]
    case .help:
      return alert(focus) + [Self("Esc", KeyTexts.back), quit]
    case .phone:
      return submit(focus, KeyTexts.sendCode) + [Self("Tab A–Z", KeyTexts.region, rank: 1)] + leave(focus)
    case .update:
      return submit(focus, KeyTexts.sendUpdate) + [Self("Tab", KeyTexts.otherField), Self("Esc", KeyTexts.back)]
    case .code:
      return submit(focus, KeyTexts.signIn) + (focus.canResend ? [Self("r", KeyTexts.newCode)] : []) + leave(focus)
    case .inbox:
      let open = focus.canOpen ? [Self("Enter", KeyTexts.open), Self("↑↓", KeyTexts.choose, rank: 2)] : []
      return open + alert(focus) + [Self("Esc", KeyTexts.back), quit]
    case .receivedAlert:
      let line = focus.canAnswer ? [Self("w", KeyTexts.writeLine, rank: 2)] : []
      return line + alert(focus) + [Self("Esc", KeyTexts.back), Self("↑↓", KeyTexts.scroll, rank: 5), quit]
    case .answerLine:
      return [Self("Enter", KeyTexts.lineDone), Self("Esc", KeyTexts.back)]
    }
  }

  private static let help = Self("?", KeyTexts.keys, rank: 2)
  private static let quit = Self("q", KeyTexts.quit, rank: 1)

  /// The inbox, first while somebody else needs help.
  private static func called(_ focus: ScreenFocus) -> [KeyHint] {
    focus.isCalled ? [Self("i", KeyTexts.inbox)] : []
  }

  private static func idleInbox(_ focus: ScreenFocus) -> [KeyHint] {
    focus.isCalled ? [] : [Self("i", KeyTexts.inbox, rank: 7)]
  }

  private static func alert(_ focus: ScreenFocus) -> [KeyHint] {
    if focus.isBusy || focus.isTyping { return [] }
    guard focus.isAlertActive else {
      return [focus.mustLetGo ? Self(KeyTexts.releaseSpace, "") : Self("Space ×4", KeyTexts.alert)]
    }
    guard !focus.hasDialog else { return [Self("hold Space", KeyTexts.end)] }
    return [
      Self("hold Space", KeyTexts.end), Self("m", KeyTexts.message, rank: 3), Self("e", KeyTexts.askToEnd, rank: 4),
    ]
  }

  /// The way out of a field, where Space is not the alert's key.
  private static func leave(_ focus: ScreenFocus) -> [KeyHint] {
    if focus.isBusy { return [Self("Esc", KeyTexts.back)] }
    guard focus.isAlertActive else {
      return [Self(focus.panel == .code ? KeyTexts.escTwice : "Esc", KeyTexts.backToAlert)]
    }
    return [Self("Esc", KeyTexts.back), Self("e", KeyTexts.askToEnd)]
  }

  private static func scroll(_ focus: ScreenFocus) -> [KeyHint] {
    focus.canScroll ? [Self("↑↓", KeyTexts.scroll, rank: 6)] : []
  }

  private static func sign(_ focus: ScreenFocus) -> KeyHint {
    Self("s", focus.isSignedIn ? KeyTexts.signOut : KeyTexts.signIn, rank: 5)
  }

  private static func submit(_ focus: ScreenFocus, _ meaning: String) -> [KeyHint] {
    focus.canSubmit ? [Self("Enter", meaning)] : []
  }
}
