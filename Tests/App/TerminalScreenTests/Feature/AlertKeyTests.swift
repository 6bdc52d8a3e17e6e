import TestSupport
import Testing

@testable import TerminalScreen

@MainActor @Suite struct `The alert's key` {
  @Test func `four presses raise an alert on a device where nobody is signed in`() async {
    let screen = ScreenUnderTest()
    await screen.send(.opened)
    await screen.press(.space, .space, .space)
    #expect(screen.text.contains("3 of 4"))
    #expect(screen.device.alertsRaised == 0)
    await screen.press(.space)
    #expect(screen.device.alertsRaised == 1)
    #expect(screen.text.contains("ALERT ACTIVE since"))
    #expect(screen.text.contains("NOT SENT: nobody is told before you sign in"))
  }

  @Test func `a number that is typed or pasted with spaces raises nothing`() async {
    let screen = ScreenUnderTest()
    await screen.press(.character("s"))
    await screen.type("20 25 55 01 23 ")
    #expect(screen.state.auth.phoneNumber == "2025550123")
    await screen.press(.escape, .character("s"))
    for _ in 0..<10 { await screen.press(.backspace) }
    await screen.press(.pasteBegan)
    await screen.type("+33 1 23 45 67 89\n")
    await screen.press(.pasteEnded)
    #expect(screen.state.auth.phoneNumber.filter(\.isNumber).hasSuffix("123456789"))
    await screen.press(.space, .space, .space, .space)
    #expect(screen.device.alertsRaised == 0)
    #expect(screen.text.contains("Esc back, then Space ×4: ALERT"))
    await screen.press(.escape, .space, .space, .space, .space)
    #expect(screen.device.alertsRaised == 1)
  }

  @Test func `text that is pasted elsewhere does nothing`() async {
    let screen = ScreenUnderTest()
    await screen.press(.pasteBegan)
    await screen.type("q h    s    ")
    await screen.press(.pasteEnded, .space)
    #expect(screen.device.alertsRaised == 0)
    #expect(screen.text.contains("1 of 4"))
    #expect(screen.state.panel == .overview)
  }

  @Test func `it works while a question is open`() async {
    let asked = ScreenUnderTest(DeviceUnderTest(isSignedIn: true))
    await asked.send(.opened)
    await asked.press(.character("s"))
    #expect(asked.text.contains("Are you sure you want to sign out?"))
    await asked.press(.space, .space, .space, .space)
    #expect(asked.device.alertsRaised == 1)
  }

  @Test func `enter taps too`() async {
    let screen = ScreenUnderTest()
    await screen.press(.enter, .enter, .enter, .enter)
    #expect(screen.device.alertsRaised == 1)
  }

  @Test func `three seconds without a press empty the button`() async {
    let screen = ScreenUnderTest()
    await screen.press(.space, .space, .space)
    await screen.wait(milliseconds: 3000)
    #expect(screen.text.contains("RAISE AN ALERT"))
    await screen.press(.space)
    #expect(screen.device.alertsRaised == 0)
  }

  @Test(arguments: [Key.space, .enter]) func `an object on the key raises nothing`(key: Key) async {
    let screen = ScreenUnderTest()
    await screen.hold(key, milliseconds: 20_000)
    #expect(screen.device.alertsRaised == 0)
  }

  @Test func `a key that is still held after answering a question raises nothing`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isSignedIn: true))
    await screen.send(.opened)
    await screen.press(.character("s"))
    await screen.wait(milliseconds: 700)
    await screen.hold(.enter, milliseconds: 10_000)
    #expect(!screen.text.contains("sign out?"))
    #expect(screen.device.alertsRaised == 0)
  }
}

@MainActor @Suite struct `Ending an alert` {
  private func active() async -> ScreenUnderTest {
    let screen = ScreenUnderTest(DeviceUnderTest(isActive: true))
    await screen.send(.opened)
    #expect(screen.state.alert.isAlertActive)
    return screen
  }

  @Test func `holding for three seconds ends it, and the key that is still held raises no other`() async {
    let screen = await active()
    await screen.hold(milliseconds: 1500)
    #expect(screen.text.contains("KEEP HOLDING TO END IT"))
    #expect(screen.device.isActive)
    for _ in 0..<100 {
      await screen.press(.space)
      await screen.wait(milliseconds: 40)
    }
    #expect(!screen.device.isActive)
    #expect(screen.device.alertsRaised == 0)
    #expect(screen.text.contains("RELEASE SPACE"))
    #expect(screen.text.contains("Release Space"))
    await screen.wait(milliseconds: 1000)
    #expect(screen.text.contains("RAISE AN ALERT"))
    await screen.press(.space)
    #expect(screen.text.contains("1 of 4"))
  }

  @Test func `frantic presses for half a minute do not end it`() async {
    let screen = await active()
    var random = SeededRandom(seed: 7)
    await screen.wait(milliseconds: 2000)
    for _ in 0..<130 {
      await screen.press(.space)
      await screen.wait(milliseconds: .random(in: 170...280, using: &random))
    }
    #expect(screen.device.isActive)
    #expect(screen.device.alertsRaised == 0)
  }

  @Test func `resizing during a hold does not end the hold`() async {
    let screen = await active()
    await screen.hold(milliseconds: 1500)
    for columns in [40, 120, 20, 80] {
      await screen.send(.resized(ScreenSize(columns: columns, rows: columns == 40 ? 12 : 40)))
      #expect(screen.state.alert.isHoldingDeactivation)
    }
    for _ in 0..<60 {
      await screen.press(.space)
      await screen.wait(milliseconds: 40)
    }
    #expect(!screen.device.isActive)
  }

  @Test func `releasing leaves it active`() async {
    let screen = await active()
    await screen.hold(milliseconds: 2500)
    await screen.wait(milliseconds: 350)
    #expect(!screen.state.alert.isHoldingDeactivation)
    #expect(screen.state.alert.deactivationProgress == 0)
    await screen.wait(milliseconds: 5000)
    #expect(screen.device.isActive)
  }

  @Test func `further presses after the alert was raised do not end it`() async {
    let screen = ScreenUnderTest()
    for _ in 0..<60 {
      await screen.press(.space)
      await screen.wait(milliseconds: 200)
    }
    #expect(screen.device.alertsRaised == 1)
    #expect(screen.device.isActive)
    #expect(!screen.state.alert.isHoldingDeactivation)
  }

  @Test func `e asks, and the default answer changes nothing`() async {
    let screen = await active()
    await screen.press(.character("e"))
    #expect(screen.text.contains("[▸ Cancel ◂]"))
    await screen.wait(milliseconds: 700)
    await screen.press(.enter)
    #expect(!screen.text.contains("Cancel"))
    #expect(screen.device.isActive)
    await screen.press(.character("e"), .left)
    #expect(screen.text.contains("[▸ End it ◂]"))
    await screen.wait(milliseconds: 700)
    await screen.press(.enter)
    #expect(!screen.device.isActive)
  }
}
