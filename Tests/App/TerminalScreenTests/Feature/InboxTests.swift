import Foundation
import LifeSignalFeatures
import Testing

@testable import TerminalScreen

@MainActor @Suite struct `The inbox on the screen` {
  private func screen(_ device: DeviceUnderTest = DeviceUnderTest(isSignedIn: true)) async -> ScreenUnderTest {
    let screen = ScreenUnderTest(device)
    await screen.send(.opened)
    return screen
  }

  /// A screen on which the alert is open.
  private func opened(
    _ alert: ReceivedAlert = .detailed, _ device: DeviceUnderTest = DeviceUnderTest(isSignedIn: true)
  ) async -> ScreenUnderTest {
    let screen = await screen(device)
    await screen.tell(alert)
    await screen.press(.character("i"), .enter)
    return screen
  }

  @Test func `is named in one line while somebody else needs help`() async {
    let screen = await screen()
    #expect(!screen.text.contains("press i"))
    await screen.tell(.sample())
    #expect(screen.text.contains(" BEN NEEDS HELP since "))
    #expect(screen.text.contains(": press i\n"))
    await screen.tell(.sample(), .sample(2) { $0.name = nil })
    #expect(screen.text.contains(", and 1 other: press i\n"))
    await screen.tell(.sample { $0.isDrill = true })
    #expect(screen.text.contains(" BEN: DRILL since "))
    await screen.tell(.sample { $0.endTime = DeviceUnderTest.noon })
    #expect(!screen.text.contains("press i"))
  }

  @Test func `opens an alert by Enter alone, which is seen then, and no tap`() async {
    let screen = await screen()
    await screen.tell(.sample(), .sample(2) { $0.name = "Ana" })
    await screen.press(.character("i"))
    #expect(screen.text.contains("▸ Ben  NEEDS HELP since") && screen.text.contains("not answered"))
    #expect(screen.device.answers.isEmpty)
    await screen.press(.down, .down, .enter)
    #expect(screen.text.contains("ANA NEEDS HELP since") && screen.device.answers == ["seen"])
    await screen.press(.enter)
    #expect(screen.state.alert.activationProgress == 0)
    await screen.press(.escape)
    #expect(screen.text.contains("▸ Ana"))
    await screen.press(.up, .enter, .escape, .escape)
    #expect(screen.state.panel == .overview && screen.device.answers == ["seen", "seen"])
  }

  @Test func `shows all that is known of an open alert`() async {
    let text = await opened().text
    for part in [
      "You have not answered.", "“fell on the ridge”", "Place: 46.57631,7.9905 ± 20 m, 15 min ago", "Battery: 35 %",
      "Coming: Ana, Cleo", "asked again 2 times", "Call: +12025550143", "Page: https://help.example.org/a/token",
      "r: I'm responding",
    ] { #expect(text.contains(part), "\(part) in \(text)") }
  }

  @Test func `says of an open alert that the device is silent, below who needs help`() async {
    let silent = ReceivedAlert.sample { $0.noContactSince = DeviceUnderTest.noon.addingTimeInterval(-300) }
    let screen = await opened(silent)
    let lines = screen.text.split(separator: "\n").map { $0.trimmingPrefix(" ") }
    let title = lines.firstIndex { $0.hasPrefix("BEN NEEDS HELP since ") }
    let silence = lines.firstIndex { $0.hasPrefix("No contact with their device since ") }
    #expect(silence != nil && title.map { $0 + 1 } == silence, "\(screen.text)")
    await screen.tell(.sample())
    #expect(!screen.text.contains("No contact with their device"))
  }

  @Test(arguments: [("r", "responding"), ("O", "on_my_way"), ("t", "there"), ("c", "cannot")])
  func `answers with one key, and shows that it is not sent yet`(key: Character, answer: String) async {
    let screen = await opened()
    await screen.press(.character(key), .character(key))
    #expect(screen.device.answers == ["seen", answer + " -"])
    #expect(screen.text.contains("saved here, NOT SENT yet"))
  }

  @Test func `hands over only after an answer that says so`() async {
    let screen = await opened()
    await screen.press(.character("h"))
    #expect(screen.state.panel == .inbox && screen.device.answers == ["seen"])
    await screen.press(.character("r"))
    #expect(screen.text.contains("h: I'm handing over"))
    await screen.press(.character("h"))
    #expect(screen.text.contains("Press h again to say that you are handing over."))
    await screen.press(.character("h"))
    #expect(screen.device.answers.last == "handing_over -")
  }

  @Test func `takes help away only with two presses in a row`() async {
    let screen = await opened()
    await screen.press(.character("c"))
    #expect(screen.text.contains("Press c again to say that you can't come.") && screen.device.answers == ["seen"])
    await screen.press(.down, .character("c"))
    #expect(screen.device.answers == ["seen"])
    await screen.press(.character("o"), .character("c"), .character("h"), .character("c"))
    #expect(screen.device.answers == ["seen", "on_my_way -"])
    await screen.press(.character("C"))
    #expect(screen.device.answers == ["seen", "on_my_way -", "cannot -"])
    #expect(screen.text.contains("r: I'm responding"))
  }

  @Test func `names somebody else who needs help more than the open alert, and i leads there`() async {
    let screen = await screen()
    let drill = ReceivedAlert.sample { $0.isDrill = true }
    await screen.tell(drill)
    await screen.press(.character("i"), .enter)
    #expect(screen.text.contains("DRILL of Ben") && !screen.text.contains(": press i"))
    await screen.tell(.sample(2) { $0.name = "Ana" }, drill)
    #expect(screen.text.contains("DRILL of Ben") && screen.text.contains("ANA NEEDS HELP"))
    #expect(screen.text.contains(": press i"))
    await screen.press(.character("i"))
    #expect(screen.text.contains("▸ Ana") && !screen.text.contains(": press i"))
    await screen.press(.enter)
    #expect(screen.text.contains("ANA NEEDS HELP since") && !screen.text.contains(": press i"))
  }

  @Test func `takes a line beside the answer, in which no key means anything else`() async {
    let screen = await opened()
    await screen.press(.character("w"), .space, .space, .space, .space)
    await screen.type("by car, 20 min? qhs")
    #expect(screen.text.contains("by car, 20 min? qhs▏") && screen.state.alert.activationProgress == 0)
    await screen.press(.backspace, .backspace, .backspace, .backspace, .enter)
    #expect(screen.text.contains("Line:") && !screen.text.contains("▏"))
    await screen.press(.character("o"))
    #expect(screen.device.answers == ["seen", "on_my_way by car, 20 min?"])
    #expect(screen.state.inbox.answerText.isEmpty && screen.text.contains("on my way “by car, 20 min?”"))
  }

  @Test func `keeps the line open while it is typed, whatever becomes of the alert`() async {
    let screen = await opened()
    await screen.press(.character("w"))
    for change: @MainActor () async -> Void in [
      { await screen.tell(.sample { $0.endTime = DeviceUnderTest.noon }) }, { await screen.tell() },
    ] {
      await change()
      await screen.press(.space, .space, .space, .space, .character("q"))
      #expect(screen.state.alert.activationProgress == 0 && !screen.state.isQuitting)
    }
    await screen.press(.escape, .escape)
    #expect(screen.state.panel == .overview)
  }

  @Test func `leaves Space its meaning`() async {
    let screen = await opened()
    for _ in 0..<4 {
      await screen.press(.space)
      await screen.wait(milliseconds: 300)
    }
    #expect(screen.device.alertsRaised == 1 && screen.text.contains("BEN NEEDS HELP"))
  }

  @Test func `of an ended alert offers no answer`() async {
    let screen = await opened(.sample { $0.endTime = DeviceUnderTest.noon })
    #expect(screen.text.contains("Ben is safe.") && !screen.text.contains("I'm responding"))
    await screen.press(.character("r"), .character("w"), .character("x"))
    #expect(screen.device.answers.isEmpty && screen.state.inbox.answerText.isEmpty)
  }

  @Test func `says why an answer was not saved, or did not count`() async {
    let screen = await opened(.detailed, DeviceUnderTest(isSignedIn: true, isBroken: true))
    await screen.press(.character("r"))
    #expect(screen.text.contains("ANSWER NOT SAVED") && screen.text.contains("The folder is read-only."))
    await screen.wait(milliseconds: 1000)
    await screen.press(.enter)
    #expect(screen.state.inbox.error == nil)
    await screen.tell(.sample { $0.refusal = "the alert had ended" })
    #expect(screen.text.contains("Your answer did NOT count: the alert had ended"))
  }

  @Test func `asks who said long ago that they come whether they still do`() async {
    let screen = await opened(
      .sample {
        $0.answer = ReceivedAlert.Answer(.responding, time: DeviceUnderTest.noon)
        $0.isAskedToConfirm = true
      })
    #expect(screen.text.contains("Are you still coming?"))
    await screen.press(.character("r"))
    #expect(screen.device.answers == ["seen", "responding -"] && !screen.text.contains("Are you still coming?"))
  }

  @Test func `shows what was said before the newest words`() async {
    let screen = await opened(
      .sample {
        $0.message = "it snows"
        $0.earlierMessages = [
          .init("rope is stuck", time: DeviceUnderTest.noon), .init("I fell", time: DeviceUnderTest.noon),
        ]
        $0.hasMoreMessages = true
      })
    let text = screen.text
    #expect(text.contains("“it snows”") && text.contains("There are more messages: see the page."))
    #expect(text.contains("“rope is stuck”") && text.contains("“I fell”") && text.contains("Before, "))
  }

  @Test func `rings once for each alert and for each time that it asks again`() async {
    let screen = await screen()
    await screen.tell(.sample())
    await screen.tell(.sample { $0.message = "fell" })
    #expect(screen.state.ringCount == 1)
    await screen.tell(.sample { $0.askedAgain = 1 })
    #expect(screen.state.ringCount == 2)
  }

  @Test func `says what to do where nobody is signed in`() async {
    let screen = await screen(DeviceUnderTest())
    await screen.press(.character("i"))
    #expect(screen.text.contains("Sign in to get the alerts of others: press s."))
    await screen.press(.enter, .character("i"))
    #expect(screen.state.panel == .overview && screen.state.alert.activationProgress == 0)
  }
}

@MainActor @Suite struct `The inbox of a small terminal` {
  private let hostile = "A\u{1B}[2J\u{202E}\n" + String(repeating: "龍\u{0301}", count: 300)

  private func screen(_ change: (inout ReceivedAlert) -> Void = { _ in }) async -> ScreenUnderTest {
    let screen = ScreenUnderTest(DeviceUnderTest(isSignedIn: true))
    await screen.send(.opened)
    var alert = ReceivedAlert.detailed
    change(&alert)
    await screen.tell(alert)
    return screen
  }

  @Test(arguments: [(36, 10), (40, 12), (40, 24), (80, 24), (200, 60)])
  func `keeps what matters of a hostile name and message`(columns: Int, rows: Int) async {
    let screen = await screen { [hostile] in
      $0.name = hostile
      $0.message = hostile
      $0.earlierMessages = [.init(hostile, time: DeviceUnderTest.noon)]
      $0.comers = [hostile]
      $0.refusal = hostile
      $0.pageURL = hostile
    }
    func check(_ wanted: String) async {
      let text = await screen.text(columns: columns, rows: rows)
      #expect(text.contains(wanted), "\(text)")
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
      #expect(!text.unicodeScalars.contains("\u{202E}"))
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count == rows && lines.allSatisfy { TextLayout.width(String($0)) <= columns })
    }
    await check("NEEDS HELP")
    await check(": press i")
    await screen.press(.character("i"))
    await check("NEEDS HELP since")
    await screen.press(.enter)
    await check("r: I'm responding")
    await screen.press(.character("w"))
    for _ in 0..<250 { await screen.press(.character("龍")) }
    await check("龍▏")
  }

  @Test(arguments: [(36, 10), (40, 12), (40, 18)])
  func `scrolls to all that is known`(columns: Int, rows: Int) async {
    let screen = await screen()
    await screen.press(.character("i"), .enter)
    var seen = await screen.text(columns: columns, rows: rows)
    #expect(seen.contains("BEN NEEDS HELP") && !seen.contains("/a/token"))
    for _ in 0..<20 {
      await screen.press(.down)
      seen += await screen.text(columns: columns, rows: rows)
    }
    for part in ["“fell on the ridge”", "Battery: 35 %", "token"] { #expect(seen.contains(part)) }
    await screen.press(.end, .up)
    let offset = screen.state.detailsOffset
    await screen.press(.down)
    #expect(screen.state.detailsOffset == offset + 1)
    await screen.press(.down)
    #expect(screen.state.detailsOffset == offset + 1, "it goes no further than its end")
  }

  @Test func `keeps the chosen alert in sight`() async {
    let screen = await screen()
    await screen.send(
      .inbox(.alertsChanged((1...30).map { number in .sample(number) { $0.name = "Name \(number)" } })))
    await screen.press(.character("i"))
    for number in 1...30 {
      let text = await screen.text(columns: 40, rows: 12)
      #expect(text.contains("▸ Name \(number)  "), "\(text)")
      await screen.press(.down)
    }
  }

  @Test func `has one line of the call where the rest does not fit`() async {
    let text = await screen().text(columns: 30, rows: 4)
    #expect(text.contains("BEN NEEDS HELP"))
  }
}
