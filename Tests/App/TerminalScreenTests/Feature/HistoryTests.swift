import Foundation
import LifeSignalFeatures
import Testing

@testable import TerminalScreen

@MainActor @Suite struct `The history on the screen` {
  private static let many = (0..<50).map { index in
    let start = DeviceUnderTest.noon.addingTimeInterval(Double(-86_400 * (index + 1)))
    return AlertRecord(
      id: .sample(UInt64(index)), startTime: start, endTime: start.addingTimeInterval(60), userId: "", stage: .accepted)
  }

  @Test func `it scrolls by rows and pages, and stops at its ends`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(history: Self.many))
    await screen.send(.opened)
    await screen.press(.character("h"), .up)
    #expect(screen.state.historyOffset == 0)
    await screen.press(.down, .down)
    #expect(screen.state.historyOffset == 2)
    await screen.press(.pageDown)
    #expect(screen.state.historyOffset == 2 + screen.state.historyRows)
    await screen.press(.end)
    #expect(screen.text.contains("of 50"))
    #expect(screen.state.historyOffset == 50 - screen.state.historyRows)
    await screen.send(.resized(ScreenSize(columns: 80, rows: 60)))
    #expect(screen.state.historyOffset == 50 - screen.state.historyRows)
    await screen.press(.home)
    #expect(screen.state.historyOffset == 0)
  }

  @Test func `only the visible part is formatted`() async {
    let years = (0..<5000).map { index in Self.many[index % 50] }
    let screen = ScreenUnderTest(DeviceUnderTest(history: years))
    await screen.send(.opened)
    await screen.press(.character("h"), .end)
    #expect(screen.text.contains("of 5000"))
    for rows in [24, 60] {
      await screen.send(.resized(ScreenSize(columns: 80, rows: rows)))
      let history = ScreenModel(screen.state, now: DeviceUnderTest.noon).history
      #expect(history.rows.count <= 2 * rows)
      #expect(history.count == 5000)
      #expect(history.countBehind == 0)
    }
    await screen.press(.home)
    #expect(ScreenModel(screen.state, now: DeviceUnderTest.noon).history.rows.count <= 2 * 60)
    #expect(ScreenModel(layoutOf: screen.state).history.rows.isEmpty)
  }

  @Test func `an alert of less than a minute shows seconds`() {
    var state = ScreenFeature.State()
    let start = DeviceUnderTest.noon
    state.alert.alertHistory = [65, 59, 60].map { seconds in
      AlertRecord(
        id: .sample(1), startTime: start, endTime: start.addingTimeInterval(seconds), userId: "", stage: .accepted)
    }
    let periods = ScreenModel(state, now: start.addingTimeInterval(3600)).history.rows.map(\.period)
    #expect(periods[0].hasSuffix(":01") && !periods[0].contains(":00:00"))
    #expect(periods[1].contains(":00:00 – ") && periods[1].hasSuffix(":00:59"))
    #expect(!periods[2].contains(":00:00"))
  }

  @Test func `a time shows its zone if it is not the current one`() throws {
    let summer = Date(timeIntervalSince1970: 1_784_000_000), winter = summer.addingTimeInterval(180 * 86_400)
    let clock = ClockText(now: winter, zone: try #require(TimeZone(identifier: "Europe/Berlin")))
    #expect(clock.full(summer).hasSuffix(" +02:00") && clock.time(summer).hasSuffix(" +02:00"))
    #expect(!clock.full(winter).contains("+") && !clock.time(winter).contains("+"))
  }

  @Test(arguments: [-1e10, -0.25, 1_784_000_000, 1_799_552_000.75])
  func `a time is that of this machine's zone`(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    let numbers = [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second].map { number in
      let text = String(number ?? -1)
      return text.count < 2 ? "0" + text : text
    }
    let expected = numbers[..<3].joined(separator: "-") + " " + numbers[3...].joined(separator: ":")
    #expect(ClockText(now: date).full(date, showsSeconds: true) == expected)
  }

  @Test(arguments: [-.infinity, -1e300, 1e300, .nan])
  func `a time that no clock shows has a text`(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(!ClockText(now: date).full(date).isEmpty)
  }

  @Test func `unsent and discarded alerts are marked`() {
    var state = ScreenFeature.State()
    let start = DeviceUnderTest.noon
    state.alert.alertHistory = [
      AlertRecord(id: .sample(1), startTime: start, endTime: start.addingTimeInterval(60), userId: "", stage: .saved),
      AlertRecord(id: .sample(1), startTime: start, userId: "", stage: .saved, isDiscarded: true),
      AlertRecord(id: .sample(1), startTime: start, userId: "", stage: .accepted, isDrill: true),
    ]
    let rows = ScreenModel(state, now: start.addingTimeInterval(3600)).history.rows
    #expect(rows[0].period.hasSuffix(", not confirmed"))
    #expect(rows[1].period.hasSuffix("discarded"))
    #expect(rows[2].period.hasSuffix("now, drill"))
    #expect(rows.map(\.duration) == ["01:00", "00:00", "1:00:00"])
  }
}

@MainActor @Suite struct `The list of all keys` {
  @Test func `a question mark shows it anywhere, and returns to the earlier screen`() async {
    let screen = ScreenUnderTest()
    for opening in [[], [Key.character("h")], [.character("s")]] {
      for key in opening { await screen.press(key) }
      let panel = screen.state.panel
      await screen.press(.character("?"))
      #expect(screen.text.contains("hold Space  end the active alert"))
      await screen.press(.space)
      #expect(screen.text.contains("1 of 4"), "Space is the alert's key there too")
      await screen.wait(milliseconds: 3000)
      await screen.press(.escape)
      #expect(screen.state.panel == panel && !screen.text.contains("end the active alert"))
      if panel == .signIn { await screen.press(.escape) }
    }
    await screen.press(.character("?"), .character("?"))
    #expect(!screen.text.contains("end the active alert"))
  }
}
