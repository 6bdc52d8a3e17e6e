import Testing

@testable import TerminalScreen

@Suite struct `The alert's button` {
  private func inside(_ button: AlertButton, columns: Int = 42) -> [String] {
    var canvas = Canvas(ScreenSize(columns: columns, rows: 5))
    AlertButtonView.draw(button, in: canvas.bounds, on: &canvas)
    return Array(canvas.lines[1...3])
  }

  @Test(arguments: 0...4) func `each press fills a quarter`(quarters: Int) {
    let filled = inside(.ready(quarters: quarters))[1].count { $0 == "█" }
    #expect(filled == quarters * 10)
  }

  @Test func `it says how many presses are missing`() {
    #expect(
      inside(.ready(quarters: 2)) == [
        "│███████████████  2 of 4                 │",
        "│████████████████████                    │",
        "│███████  2 more raise the alert         │",
      ])
    #expect(inside(.ready(quarters: 3))[2].contains("once more raises the alert"))
  }

  @Test func `a hold grows from the middle to both edges`() {
    let half = inside(.active(hold: 0.5))[1]
    #expect(half == "│          ████████████████████          │")
    #expect(inside(.active(hold: 1))[1] == "│████████████████████████████████████████│")
    #expect(inside(.active(hold: 0))[1] == "│                                        │")
  }

  @Test func `progress out of range stays in the frame`() {
    #expect(inside(.active(hold: 7))[1] == inside(.active(hold: 1))[1])
    #expect(inside(.active(hold: -1))[1] == inside(.active(hold: 0))[1])
    #expect(inside(.ready(quarters: 9))[1] == inside(.ready(quarters: 4))[1])
  }

  @Test func `in a field it says what must be pressed first`() {
    var model = Sample.fresh
    model.panel = .phone(PhonePanel(region: "United States", callingCode: "1", number: ""))
    #expect(Sample.text(model).contains("press Esc, then Space four times"))
    model.panel = .code(CodePanel(phone: "", code: ""))
    #expect(Sample.text(model).contains("press Esc twice, then Space four times"))
    model.button = .active(hold: nil)
    #expect(Sample.text(model).contains("press e to end it"))
  }

  @Test func `the button is empty without a press`() {
    #expect(!inside(.notSaved).joined().contains("█"))
    #expect(!inside(.mustLetGo).joined().contains("█"))
  }

  @Test func `its state is a text, not only a colour`() {
    #expect(inside(.ready(quarters: 0))[0].contains("RAISE AN ALERT"))
    #expect(inside(.saving).joined().contains("SAVING THE ALERT"))
    #expect(inside(.active(hold: nil))[0].contains("ALERT ACTIVE"))
    #expect(inside(.active(hold: 0.2))[0].contains("KEEP HOLDING"))
    #expect(inside(.ending).joined().contains("ENDING THE ALERT"))
  }
}
