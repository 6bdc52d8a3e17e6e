import Testing

@testable import TerminalScreen

@Suite struct `The screen, drawn` {
  @Test func `a signed-out device still has its alert button`() {
    #expect(
      Sample.text(Sample.fresh, columns: 60, rows: 18) == """
         LifeSignal                                 ○ not signed in
        ╭──────────────────────────────────────────────────────────╮
        │                      RAISE AN ALERT                      │
        │                                                          │
        │                  press Space four times                  │
        ╰──────────────────────────────────────────────────────────╯
         No alert is active.
         History
           No alert so far.








         Space ×4 ALERT   s sign in   ? keys   h history   q quit
        """)
  }

  @Test func `an active alert on 80×24 shows its delivery states, and a long reason on two lines`() {
    #expect(
      Sample.text(Sample.active) == """
         LifeSignal                                                         ● connected
        ╭──────────────────────────────────────────────────────────────────────────────╮
        │                                 ALERT ACTIVE                                 │
        │                                                                              │
        │                      hold Space for 3 seconds to end it                      │
        ╰──────────────────────────────────────────────────────────────────────────────╯
         ALERT ACTIVE since 12:01:03                                              12:34

         Delivery
         ✓ saved             on this device                                    12:01:03
         ✓ accepted          by the server                                     12:01:04
         ★ Ana               IS RESPONDING                                     12:02:40
         ✓ 李小龍            sent by ntfy                                      12:01:06
         ✗ Ben               FAILED by webhook: the address answers 410 and    12:01:09
                             says that it is gone

         History
         ● 2026-11-21 12:01 – now                                                 12:34
         · 2026-11-20 09:15 – 09:31                                               16:02




         hold Space end the alert   m message   ? keys   h history   q quit
        """)
  }

  @Test func `40×12 is enough for the button, the duration and the delivery states`() {
    #expect(
      Sample.text(Sample.active, columns: 40, rows: 12) == """
         LifeSignal                 ● connected
        ╭──────────────────────────────────────╮
        │             ALERT ACTIVE             │
        ╰──────────────────────────────────────╯
         ALERT ACTIVE since 12:01:03      12:34
         Delivery
         ✓ saved      on this device   12:01:03
         ✓ accepted   by the server    12:01:04
         ★ Ana        IS RESPONDING    12:02:40
         ✓ 李小龍     sent by ntfy     12:01:06
         ✗ Ben        FAILED by webhook: the a…
         hold Space end the alert   q quit
        """)
  }

  @Test func `without UTF-8 every cell is one of ASCII, and the lines are as long as before`() {
    #expect(
      Sample.text(Sample.active, columns: 50, rows: 16, isASCII: true) == """
         LifeSignal                           * connected
        +------------------------------------------------+
        |                  ALERT ACTIVE                  |
        +------------------------------------------------+
         ALERT ACTIVE since 12:01:03                12:34
         Delivery
         + saved         on this device          12:01:03
         + accepted      by the server           12:01:04
         * Ana           IS RESPONDING           12:02:40
         + ???           sent by ntfy            12:01:06
         x Ben           FAILED by webhook: the address
                         answers 410 and says that it is~
         History
         * 2026-11-21 12:01 - now                   12:34
         - 2026-11-20 09:15 - 09:31                 16:02
         hold Space end the alert   ? keys   q quit
        """)
  }

  @Test func `a terminal that is too small says so, and still shows the alert's progress`() {
    var model = Sample.fresh
    model.button = .ready(quarters: 3)
    #expect(Sample.text(model, columns: 30, rows: 4) == "3 of 4 Terminal too small.\n○ not signed in\n\n")
    #expect(
      Sample.text(Sample.active, columns: 30, rows: 6) == """
        ALERT ACTIVE Terminal too
        small.
        saved: on this device
        accepted: by the server
        ● connected
        Ana: IS RESPONDING
        """)
    #expect(Sample.text(model, columns: 0, rows: 0) == "")
  }

  @Test(arguments: [(1, 1), (36, 10), (37, 11), (79, 17), (300, 100), (80, 2), (2, 80)])
  func `it fits every size`(columns: Int, rows: Int) {
    var model = Sample.active
    model.dialog = Sample.question
    model.notice = StatusLine(text: String(repeating: "long 龍 ", count: 40), style: .bad)
    let canvas = ScreenView.draw(model, size: ScreenSize(columns: columns, rows: rows))
    #expect(canvas.lines.count == rows)
    #expect(canvas.lines.allSatisfy { TextLayout.width($0) <= columns })
  }

  @Test func `the top line shows pending items and why there is no connection, as far as it fits`() {
    var model = Sample.fresh
    model.connection = .lost(since: "12:01", reason: "connection refused")
    model.pending = 2
    func top(_ columns: Int) -> String { String(Sample.text(model, columns: columns).split(separator: "\n")[0]) }
    #expect(top(80).hasSuffix("✗ no connection since 12:01: connection refused · 2 to send"))
    #expect(top(60).hasSuffix("✗ no connection since 12:01 · 2 to send"))
    #expect(top(40).hasSuffix("✗ offline · 2 to send"))
  }

  @Test func `80 columns always show the keys for the history and for leaving`() {
    for bits in 0..<16 {
      var model = Sample.active
      model.keys = KeyHint.hints(
        in: Sample.focus {
          $0.isAlertActive = bits & 1 != 0
          $0.isSignedIn = bits & 2 != 0
          $0.canScroll = bits & 4 != 0
          $0.mustLetGo = bits & 8 != 0
        })
      #expect(Sample.text(model).hasSuffix("h history   q quit"))
      #expect(Sample.text(model).contains("? keys"))
    }
  }

  @Test func `keys that do not fit are omitted as a whole`() {
    #expect(Sample.text(Sample.fresh, columns: 36, rows: 10).hasSuffix(" Space ×4 ALERT   ? keys   q quit"))
  }
}
