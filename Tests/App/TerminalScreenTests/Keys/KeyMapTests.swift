import Testing

@testable import TerminalScreen

@Suite struct `What a key means` {
  private func intent(_ key: Key, _ change: (inout ScreenFocus) -> Void = { _ in }) -> KeyIntent? {
    KeyMap.intent(for: key, in: Sample.focus(change))
  }

  @Test(arguments: [ScreenFocus.Panel.phone, .code], [false, true])
  func `space in a number or a code is never a tap, even with a dialog in front`(
    panel: ScreenFocus.Panel, hasDialog: Bool
  ) {
    #expect(
      intent(.space) {
        $0.panel = panel
        $0.hasDialog = hasDialog
      } == nil)
  }

  @Test func `pasted text goes into a field, and does nothing elsewhere`() {
    #expect(intent(.pasted("+33 1 23 45")) { $0.panel = .phone } == .type("+3312345"))
    #expect(intent(.pasted("code: 123 456")) { $0.panel = .code } == .type("123456"))
    #expect(intent(.pasted("none")) { $0.panel = .code } == nil)
    #expect(intent(.pasted("q  h  s  ")) == nil)
    #expect(
      intent(.pasted("12")) {
        $0.panel = .phone; $0.hasDialog = true
      } == nil)
  }

  @Test(arguments: [ScreenFocus.Panel.overview, .history, .inbox, .receivedAlert], [false, true])
  func `space is the alert's key elsewhere`(panel: ScreenFocus.Panel, hasDialog: Bool) {
    #expect(
      intent(.space) {
        $0.panel = panel
        $0.hasDialog = hasDialog
      } == .alertKey)
  }

  @Test func `enter taps while no alert is active, unless it submits something`() {
    #expect(intent(.enter) == .tap)
    #expect(intent(.enter) { $0.isAlertActive = true } == nil)
    #expect(intent(.enter) { $0.panel = .phone } == nil)
    #expect(
      intent(.enter) {
        $0.panel = .phone
        $0.canSubmit = true
      } == .submit)
    #expect(intent(.enter) { $0.hasDialog = true } == nil)
    #expect(
      intent(.enter) {
        $0.hasDialog = true
        $0.takesAnswers = true
      } == .pressButton)
  }

  @Test func `s signs in or out`() {
    #expect(intent(.character("s")) == .showSignIn)
    #expect(intent(.character("s")) { $0.isSignedIn = true } == .askToSignOut)
  }

  @Test func `e only asks to end an active alert`() {
    #expect(intent(.character("e")) == nil)
    for panel in [ScreenFocus.Panel.overview, .history, .phone, .code] {
      #expect(
        intent(.character("e")) {
          $0.panel = panel
          $0.isAlertActive = true
        } == .askToEnd)
    }
  }

  @Test func `q does not leave while something is typed or asked`() {
    #expect(intent(.character("q")) == .quit)
    #expect(intent(.character("q")) { $0.panel = .history } == .quit)
    #expect(intent(.character("q")) { $0.panel = .phone } == .searchRegion("q"))
    #expect(intent(.character("q")) { $0.hasDialog = true } == nil)
    #expect(
      intent(.character("q")) {
        $0.hasDialog = true; $0.takesAnswers = true
      } == nil)
  }

  @Test func `the number accepts characters of numbers, and the code digits`() {
    for character in "0123456789+-()." {
      #expect(intent(.character(character)) { $0.panel = .phone } == .type(String(character)))
    }
    #expect(intent(.character("x")) { $0.panel = .phone } == .searchRegion("x"))
    #expect(intent(.character("٣")) { $0.panel = .phone } == nil)
    #expect(intent(.character("7")) { $0.panel = .code } == .type("7"))
    #expect(intent(.character("+")) { $0.panel = .code } == nil)
    #expect(intent(.backspace) { $0.panel = .code } == .erase)
  }

  @Test func `another code only when one may be requested`() {
    #expect(intent(.character("r")) { $0.panel = .code } == nil)
    #expect(
      intent(.character("r")) {
        $0.panel = .code
        $0.canResend = true
      } == .resend)
  }

  @Test func `arrows choose a button, a region, or scroll`() {
    #expect(intent(.left) { $0.hasDialog = true } == .previousButton)
    #expect(intent(.right) { $0.hasDialog = true } == .nextButton)
    #expect(intent(.tab) { $0.hasDialog = true } == .cycleButtons(1))
    #expect(intent(.down) { $0.panel = .phone } == .nextRegion)
    #expect(intent(.down) == .scroll(1))
    #expect(intent(.pageUp) { $0.panel = .history } == .scrollPages(-1))
  }

  @Test func `escape takes back one step`() {
    #expect(intent(.escape) { $0.hasDialog = true } == nil)
    #expect(
      intent(.escape) {
        $0.hasDialog = true
        $0.takesAnswers = true
      } == .cancelDialog)
    #expect(intent(.escape) { $0.panel = .code } == .leavePanel)
    #expect(intent(.escape) { $0.panel = .history } == .leavePanel)
    #expect(intent(.escape) == nil)
  }

  @Test(arguments: [ScreenFocus.Panel.phone, .code]) func `in a field the bottom line says how to raise an alert`(
    panel: ScreenFocus.Panel
  ) {
    let hint = KeyHint.hints(in: Sample.focus { $0.panel = panel }).last
    #expect(hint?.meaning == "back, then Space ×4: ALERT")
    #expect(hint?.key == (panel == .code ? "Esc twice" : "Esc"))
  }

  @Test func `the bottom line names only keys that work`() {
    let panels: [ScreenFocus.Panel] = [
      .overview, .history, .phone, .code, .help, .update, .inbox, .receivedAlert, .answerLine,
    ]
    for panel in panels {
      for bits in 0..<256 {
        let focus = Sample.focus {
          $0.panel = panel
          $0.hasDialog = bits & 1 != 0
          $0.isAlertActive = bits & 2 != 0
          $0.isSignedIn = bits & 4 != 0
          $0.canSubmit = bits & 8 != 0
          $0.canResend = bits & 16 != 0
          $0.canScroll = bits & 32 != 0
          $0.takesAnswers = bits & 64 != 0
          $0.mustLetGo = bits & 128 != 0
          $0.isCalled = bits & 16 != 0
          $0.canOpen = bits & 16 != 0
          $0.canAnswer = bits & 8 != 0
        }
        for hint in KeyHint.hints(in: focus) {
          #expect(keys(hint.key).allSatisfy { KeyMap.intent(for: $0, in: focus) != nil }, "\(hint) in \(focus)")
        }
      }
    }
  }

  private func keys(_ name: String) -> [Key] {
    switch name {
    case "Release Space", "Space ×4", "hold Space": [.space]
    case "Enter": [.enter]
    case "Esc", "Esc twice": [.escape]
    case "Tab": [.tab]
    case "Tab A–Z": [.tab, .character("a")]
    case "←→": [.left, .right]
    case "↑↓": [.up, .down]
    default: [.character(Character(name))]
    }
  }
}
