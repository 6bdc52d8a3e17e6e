import LifeSignalFeatures
import Testing

@testable import TerminalScreen

@MainActor @Suite struct `Signing in on the screen` {
  @Test func `number, code, and back to the overview`() async {
    let screen = ScreenUnderTest()
    await screen.press(.character("s"))
    await screen.type("20255501")
    await screen.press(.backspace)
    await screen.type("123")
    #expect(screen.state.auth.phoneNumber == "2025550123")
    #expect(screen.text.contains("Number   (202) 555-0123▏"))
    await screen.press(.enter)
    #expect(screen.text.contains("You can ask for another code in 60 s."))
    await screen.wait(milliseconds: 18_000)
    #expect(screen.text.contains("You can ask for another code in 42 s."))
    await screen.type("123456")
    await screen.press(.enter)
    #expect(screen.state.auth.isAuthenticated)
    #expect(screen.state.panel == .overview)
  }

  @Test func `a wrong code is shown in a dialog and beside the field, and another can be typed`() async {
    let screen = ScreenUnderTest()
    await screen.press(.character("s"))
    await screen.type("2025550123")
    await screen.press(.enter)
    await screen.type("000000")
    await screen.press(.enter)
    #expect(screen.text.contains("This is not the code."))
    #expect(screen.text.contains("Something went wrong"))
    await screen.wait(milliseconds: 700)
    await screen.press(.enter)
    #expect(!screen.text.contains("Something went wrong"))
    #expect(screen.text.contains("This is not the code."))
    await screen.type("1")
    #expect(!screen.text.contains("This is not the code."))
    await screen.press(.escape)
    #expect(screen.text.contains("Sign in with your phone number"))
    await screen.press(.escape)
    #expect(screen.state.panel == .overview)
    #expect(!screen.text.contains("Something went wrong"))
    #expect(!screen.text.contains("This is not the code."))
  }

  @Test func `work before a code is told, and Esc stops it`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(workSeconds: 10))
    await screen.press(.character("s"))
    await screen.type("2025550123")
    await screen.press(.enter)
    #expect(screen.text.contains("Many people are asking for codes now.") && screen.text.contains("about 10 s."))
    await screen.press(.escape)
    #expect(screen.state.panel == .signIn && !screen.state.auth.isLoading)
    #expect(screen.text.contains("Enter: a code will be sent to this number."))
    await screen.press(.escape)
    #expect(screen.state.panel == .overview)
  }

  @Test func `a number has at most 20 digits and a leading plus, and one key clears it`() async {
    let screen = ScreenUnderTest()
    await screen.press(.character("s"))
    await screen.type("+41+79" + String(repeating: "1", count: 40))
    #expect(screen.state.auth.phoneNumber == "+4179" + String(repeating: "1", count: 16))
    await screen.press(.clear)
    #expect(screen.state.auth.phoneNumber == "")
    await screen.type(String(repeating: "(-", count: 100))
    #expect(screen.state.auth.phoneNumber.count == 40)
    await screen.press(.clear, .pasted("12+3"))
    #expect(screen.state.auth.phoneNumber == "123")
  }

  @Test func `letters find the region that begins with them, and a pause starts over`() async throws {
    let screen = ScreenUnderTest()
    await screen.press(.character("s"))
    await screen.type("swi")
    #expect(screen.state.auth.selectedRegion.code == "CH")
    #expect(screen.text.contains("“swi”"))
    await screen.type("xx")
    #expect(screen.state.auth.selectedRegion.code == "CH", "none begins so: the last one stays")
    await screen.wait(milliseconds: 2001)
    await screen.type("united k")
    #expect(screen.state.auth.selectedRegion.code == "GB")
    await screen.type("2")
    #expect(screen.state.auth.phoneNumber == "2")
    #expect(!screen.text.contains("“"))
    await screen.type("arab")
    #expect(screen.state.auth.selectedRegion.name.contains("Arab"))
  }

  @Test(arguments: [
    ("cote", "CI"), ("CÔTE", "CI"), ("åland", "AX"), ("aland", "AX"), ("sao", "ST"), ("verde", "CV"), ("kin", "CD"),
  ])
  func `a region is found with and without its accents and capitals`(typed: String, code: String) {
    var search = RegionSearch()
    for letter in typed { search.type(letter, at: 0) }
    #expect(search.found(in: Region.all)?.code == code)
  }

  @Test func `letters of another script find no region`() {
    var search = RegionSearch()
    search.type("д", at: 0)
    #expect(search.found(in: Region.all) == nil)
  }

  @Test func `during an alert e asks to end it, and chooses no region`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isActive: true))
    await screen.send(.opened)
    await screen.press(.character("s"))
    await screen.type("de")
    #expect(screen.state.auth.selectedRegion.name.lowercased().hasPrefix("de"))
    await screen.press(.tab, .character("e"))
    #expect(screen.text.contains("End the alert?"))
  }

  @Test func `an error is wrapped, not cut`() {
    var model = Sample.fresh
    let problem =
      "This network answered instead of your server. It may need a Wi-Fi log-in before it lets anything through."
    model.panel = .phone(PhonePanel(region: "Chad", callingCode: "235", number: "", problem: problem))
    #expect(Sample.text(model, columns: 80).contains(" It may need a Wi-Fi log-in\n before"))
    model.panel = .code(CodePanel(phone: "+235", code: "", problem: problem))
    #expect(
      Sample.text(model, columns: 80).contains("log-in\n before it lets anything through.\n r: send another code."))
  }

  @Test func `regions wrap around at the end`() async {
    let screen = ScreenUnderTest()
    await screen.press(.character("s"), .tab)
    let next = screen.state.auth.selectedRegion
    #expect(next != .unitedStates)
    await screen.press(.backTab)
    #expect(screen.state.auth.selectedRegion == .unitedStates)
    for _ in 0..<300 { await screen.press(.up) }
    #expect(screen.state.auth.selectedRegion.name != "")
  }
}
