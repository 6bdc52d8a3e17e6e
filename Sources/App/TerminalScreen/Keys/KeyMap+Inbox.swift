import LifeSignalFeatures

extension KeyMap {
  /// The list of others' alerts. Enter opens one, and is no tap.
  static func inbox(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .escape, .character("i"), .character("I"): .leavePanel
    case .enter: focus.canOpen ? .openAlert : nil
    case .up: .chooseAlert(-1)
    case .down: .chooseAlert(1)
    case .pageUp, .home: .chooseAlert(-.inboxLimit)
    case .pageDown, .end: .chooseAlert(.inboxLimit)
    default: overview(key, focus)
    }
  }

  /// An open alert. Its letters are answers, also where they mean something else elsewhere.
  static func receivedAlert(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .escape: .leavePanel
    case .enter: nil
    case .up: .scrollDetails(-1)
    case .down: .scrollDetails(1)
    case .pageUp, .home: .scrollDetails(-.inboxLimit)
    case .pageDown, .end: .scrollDetails(.inboxLimit)
    case .character("i"), .character("I"): .showInbox
    case .character(let letter): answer(letter, focus)
    default: nil
    }
  }

  private static func answer(_ letter: Character, _ focus: ScreenFocus) -> KeyIntent? {
    guard "rotchwROTCHW".contains(letter) else { return overview(.character(letter), focus) }
    guard focus.canAnswer else { return nil }
    switch letter {
    case "r", "R": return .answer(.responding)
    case "o", "O": return .answer(.onMyWay)
    case "t", "T": return .answer(.there)
    case "c", "C": return .answer(.cannot)
    case "h", "H": return focus.canHandOver ? .answer(.handingOver) : nil
    default: return .writeLine
    }
  }

  /// The line beside an answer: every letter is text, the space too.
  static func answerLine(_ key: Key, _ focus: ScreenFocus) -> KeyIntent? {
    switch key {
    case .escape, .enter: .leavePanel
    case .space: .type(" ")
    default: field(key, focus, accepts: isText)
    }
  }
}

extension Int {
  /// More rows than an inbox or an alert has.
  fileprivate static let inboxLimit = 10_000
}
