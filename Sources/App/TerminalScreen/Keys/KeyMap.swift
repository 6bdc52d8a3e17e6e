/// Maps a key, given what is shown, to its meaning.
package enum KeyMap {
  /// Nil if the key does nothing now. Space is the alert key everywhere except in fields, where people type it in numbers, codes and
  /// names of regions. Pasted text goes only into a field.
  package static func intent(for key: Key, in focus: ScreenFocus) -> KeyIntent? {
    if key == .space, !focus.isTyping { return .alertKey }
    if focus.hasDialog { return dialog(key, focus) }
    if key == .character("?"), focus.panel != .update, focus.panel != .answerLine {
      return focus.panel == .help ? .leavePanel : .showHelp
    }
    switch focus.panel {
    case .help: return key == .escape ? .leavePanel : overview(key, focus)
    case .overview: return overview(key, focus)
    case .history: return history(key, focus) ?? overview(key, focus)
    case .phone: return phone(key, focus) ?? alert(key, focus)
    case .update: return update(key, focus)
    case .code: return code(key, focus) ?? alert(key, focus)
    case .inbox: return inbox(key, focus)
    case .receivedAlert: return receivedAlert(key, focus)
    case .answerLine: return answerLine(key, focus)
    }
  }

  private static func dialog(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .right, .down: .nextButton
    case .left, .up: .previousButton
    case .tab: .cycleButtons(1)
    case .backTab: .cycleButtons(-1)
    case .enter: focus.takesAnswers ? .pressButton : nil
    case .escape: focus.takesAnswers ? .cancelDialog : nil
    case .character("q"), .character("Q"): focus.takesAnswers && focus.hasMessage ? .cancelDialog : nil
    default: nil
    }
  }

  static func overview(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .enter: focus.isAlertActive ? nil : .tap
    case .character("h"), .character("H"): .showHistory
    case .character("i"), .character("I"): .showInbox
    case .character("s"), .character("S"): focus.isSignedIn ? .askToSignOut : .showSignIn
    case .character("q"), .character("Q"): .quit
    default: alert(key, focus) ?? scroll(key)
    }
  }

  private static func history(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .character("h"), .character("H"), .escape: .leavePanel
    default: nil
    }
  }

  private static func alert(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .character("e"), .character("E"): focus.isAlertActive ? .askToEnd : nil
    case .character("m"), .character("M"): focus.isAlertActive && !focus.isTyping ? .showUpdate : nil
    default: nil
    }
  }

  /// The fields of the message: every letter is text, the space too.
  private static func update(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .escape: .leavePanel
    case .tab, .backTab, .up, .down: .nextField
    case .space: .type(" ")
    default: field(key, focus, accepts: isText)
    }
  }

  static func isText(_ character: Character) -> Bool {
    !character.isNewline && character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  private static func scroll(_ key: Key) -> KeyIntent? {
    switch key {
    case .up: .scroll(-1)
    case .down: .scroll(1)
    case .pageUp: .scrollPages(-1)
    case .pageDown: .scrollPages(1)
    case .home: .scrollToNewest
    case .end: .scrollToOldest
    default: nil
    }
  }

  private static func phone(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .escape: .leavePanel
    case .tab, .down, .right: .nextRegion
    case .backTab, .up, .left: .previousRegion
    case .character(let character) where character.isLetter || character == " ": search(character, focus)
    default: field(key, focus) { $0.isASCII && ($0.isNumber || "+-().".contains($0)) }
    }
  }

  /// A letter searches for a region. While an alert is active, the key that asks to end it keeps its meaning.
  private static func search(_ character: Character, _ focus: ScreenFocus) -> KeyIntent? {
    if !focus.isSearchingRegion, character == " " || alert(.character(character), focus) != nil { return nil }
    return .searchRegion(character)
  }

  private static func code(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .escape: .leavePanel
    case .character("r"), .character("R"): focus.canResend ? .resend : nil
    default: field(key, focus) { $0.isASCII && $0.isNumber }
    }
  }

  static func field(_ key: Key, _ focus: ScreenFocus, accepts: (Character) -> Bool) -> KeyIntent? {
    switch key {
    case .character(let character): accepts(character) ? .type(String(character)) : nil
    case .pasted(let text): text.contains(where: accepts) ? .type(text.filter(accepts)) : nil
    case .backspace, .delete: .erase
    case .clear: .clear
    case .enter: focus.canSubmit ? .submit : nil
    default: nil
    }
  }
}
