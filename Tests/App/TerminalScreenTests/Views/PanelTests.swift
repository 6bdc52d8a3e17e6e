import Testing

@testable import TerminalScreen

@Suite struct `The panels` {
  /// The lines below the button and the status, without the keys.
  private func lower(_ model: ScreenModel, columns: Int = 60, rows: Int = 24) -> [String] {
    Array(Sample.text(model, columns: columns, rows: rows).split(separator: "\n", omittingEmptySubsequences: false))
      .dropFirst(rows >= 18 ? 7 : 5).dropLast().map(String.init)
  }

  @Test func `the number stands in its format behind its region`() {
    var model = Sample.fresh
    model.panel = .phone(
      PhonePanel(region: "United States", callingCode: "1", number: "(202) 555-0123", canSubmit: true))
    #expect(
      lower(model)[1...7] == [
        " Sign in with your phone number", "", " Region   ◂ United States ▸  +1", "", " Number   (202) 555-0123▏", "",
        " Enter: a code will be sent to this number.",
      ])
  }

  @Test func `the code has six boxes and a countdown`() {
    var model = Sample.fresh
    model.panel = .code(CodePanel(phone: "+1 202-555-0123", code: "123", resendInSeconds: 42))
    #expect(
      lower(model)[1...7] == [
        " Type the code that was sent to +1 202-555-0123", "",
        " ╭───╮ ╭───╮ ╭───╮ ╭───╮ ╭───╮ ╭───╮",
        " │ 1 │ │ 2 │ │ 3 │ │ ▏ │ │   │ │   │",
        " ╰───╯ ╰───╯ ╰───╯ ╰───╯ ╰───╯ ╰───╯", "",
        " You can ask for another code in 42 s.",
      ])
    #expect(lower(model, columns: 40, rows: 12)[1] == " [1] [2] [3] [_] [_] [_]")
  }

  @Test func `work before a code is told with its time, wrapped`() {
    let words = [
      " Many people are asking for codes now. To get one sooner,",
      " this device is doing some work first: about 10 s. Esc",
      " stops it.",
    ]
    var model = Sample.fresh
    model.panel = .phone(
      PhonePanel(region: "United States", callingCode: "1", number: "(202) 555-0123", isBusy: true, workSeconds: 10))
    #expect(lower(model)[7...9] == words[...])
    model.panel = .code(CodePanel(phone: "+1 202-555-0123", code: "", isBusy: true, workSeconds: 10))
    #expect(lower(model)[7...9] == words[...])
  }

  @Test func `the code's error is above the advice to request another one`() {
    var model = Sample.fresh
    model.panel = .code(CodePanel(phone: "+1 202-555-0123", code: "", problem: "This code is wrong."))
    #expect(lower(model)[7...8] == [" This code is wrong.", " r: send another code."])
  }

  @Test func `a dialog keeps the button and the delivery states of an active alert visible`() {
    var model = Sample.active
    let before = Sample.text(model).split(separator: "\n", omittingEmptySubsequences: false)
    for notice in [nil, StatusLine(text: "Saved here; trying again: no route", style: .warning)] {
      model.notice = notice
      model.dialog = Sample.question
      let text = Sample.text(model)
      for line in before[1...6] + before[8...14] { #expect(text.contains(line)) }
      #expect(text.contains("│ Deactivate Alert"))
      #expect(text.contains("[  Deactivate  ]  [▸ Cancel ◂] │"))
      #expect(text.contains("hold Space"))
    }
  }

  @Test func `long names are shown whole, on a wide terminal and on a narrow one`() {
    let name = "Dr. Maximiliana Alexandra von und zu Hohenstein Wolkenkuckucksheim the Elder of the North Ridge"
    for columns in [60, 80, 200] {
      var model = Sample.active
      model.ladder[2].name = name
      let text = Sample.text(model, columns: columns, rows: 40)
      let shown = name.split(separator: " ").filter { text.contains($0) }
      #expect(!text.contains("…"), "\(text)")
      #expect(shown.count == 14, "\(shown)")
    }
  }

  @Test func `a long notice is wrapped, and the status below it stays`() {
    var model = Sample.fresh
    model.notice = StatusLine(text: String(repeating: "word ", count: 40) + "end", style: .bad)
    let text = Sample.text(model)
    #expect(text.contains("end\n"))
    #expect(text.contains("No alert is active."))
  }

  @Test func `all keys are listed at every screen size`() {
    var model = Sample.fresh
    model.panel = .help
    let text = Sample.text(model)
    for (key, meaning) in KeyTexts.all { #expect(text.contains(key) && text.contains(meaning)) }
    #expect(Sample.text(model, columns: 40, rows: 12).contains("…"))
  }

  @Test func `it is centered without an active alert`() {
    var model = Sample.fresh
    model.dialog = Sample.question
    #expect(
      lower(model, columns: 80)[4...11].map { String($0.drop { $0 != "╭" && $0 != "│" && $0 != "╰" }.prefix(64)) } == [
        "╭──────────────────────────────────────────────────────────────╮",
        "│ Deactivate Alert                                             │",
        "│                                                              │",
        "│ Are you sure you want to deactivate the alert? This will     │",
        "│ notify your responders that you are safe.                    │",
        "│                                                              │",
        "│                               [  Deactivate  ]  [▸ Cancel ◂] │",
        "╰──────────────────────────────────────────────────────────────╯",
      ])
  }

  @Test func `the history scrolls, and shows its position`() {
    var model = Sample.fresh
    model.panel = .history
    model.history.rows = (1...30).map { .init(period: "alert \($0)", duration: "0:0\($0 % 10)") }
    model.history.offset = 5
    let lines = lower(model, columns: 40, rows: 12)
    #expect(lines[0] == " History                     6–10 of 30")
    #expect(lines[1] == " · alert 6                         0:06")
    model.history.offset = 500
    #expect(lower(model, columns: 40, rows: 12)[0].hasSuffix("26–30 of 30"))
    #expect(ScreenView.historyRows(model, size: ScreenSize(columns: 40, rows: 12)) == 5)
  }

  @Test func `a list of too many responders leaves room for the history and counts the hidden ones`() {
    var model = Sample.active
    model.ladder += (1...40).map { LadderRow(.waiting, "Person \($0)", "waiting for the server") }
    let lines = lower(model, columns: 80)
    #expect(lines.contains("   and 35 more"))
    #expect(lines.contains(" History                                                                1–2 of 2") == false)
    #expect(lines.contains { $0.hasPrefix(" History") })
  }
}
