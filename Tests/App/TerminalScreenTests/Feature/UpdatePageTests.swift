import Foundation
import LifeSignalFeatures
import Testing

@testable import TerminalScreen

@MainActor @Suite struct `A message from the screen` {
  private func activeScreen(_ device: DeviceUnderTest = DeviceUnderTest(isActive: true)) async -> ScreenUnderTest {
    let screen = ScreenUnderTest(device)
    await screen.send(.opened)
    return screen
  }

  @Test func `is written and sent with a place, and the overview comes back`() async {
    let screen = await activeScreen()
    await screen.press(.character("m"))
    #expect(screen.text.contains("Tell your responders"))
    await screen.type("in the")
    await screen.press(.space)
    await screen.type("hut, me?")
    #expect(screen.text.contains("in the hut, me?▏"))
    await screen.press(.tab)
    await screen.type("46.5,7.95")
    await screen.press(.backspace)
    #expect(screen.text.contains("46.5,7.9▏"))
    await screen.press(.enter)
    #expect(screen.device.updates == ["in the hut, me? @ 46.5,7.9"])
    #expect(screen.state.panel == .overview && screen.state.alert.updateMessage.isEmpty)
  }

  @Test func `needs an active alert, and an empty one is not sent`() async {
    let idle = ScreenUnderTest()
    await idle.send(.opened)
    await idle.press(.character("m"))
    #expect(idle.state.panel == .overview)
    let screen = await activeScreen()
    await screen.press(.character("m"), .enter)
    #expect(screen.device.updates.isEmpty && screen.state.panel == .update)
    await screen.press(.escape)
    #expect(screen.state.panel == .overview)
  }

  @Test func `keeps what was typed when the person looks at the alert meanwhile`() async {
    let screen = await activeScreen()
    await screen.press(.character("m"))
    await screen.type("fell")
    await screen.press(.escape, .character("m"))
    #expect(screen.text.contains("fell▏"))
    await screen.press(.clear, .pasted("two\nlines"))
    #expect(screen.state.alert.updateMessage == "twolines")
  }

  @Test func `in its fields neither e nor Space does anything to the alert`() async {
    let screen = await activeScreen()
    await screen.press(.character("m"), .character("e"), .space, .space, .space, .space)
    #expect(screen.state.alert.updateMessage == "e    " && screen.state.alert.confirmationAlert == nil)
  }
}

@MainActor @Suite struct `Who is responding` {
  private func snapshot(_ states: [(String, DeliveryState, String?)], alert: UInt64 = 1) -> AlertSnapshot {
    let noon = DeviceUnderTest.noon
    return AlertSnapshot(
      isActive: true, startTime: noon, alertID: .sample(alert),
      delivery: AlertDelivery(
        savedAt: noon, acceptedAt: noon,
        responders: states.enumerated().map { index, entry in
          ResponderDelivery(
            id: .sample(UInt64(index + 1)), name: entry.0, channel: "webhook", state: entry.1, at: noon,
            reason: entry.2)
        }), connection: ConnectionStatus(isSignedIn: true, lastSuccessAt: noon))
  }

  @Test func `is one clear line, and the bell rings once for each new answer`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isSignedIn: true))
    await screen.send(.opened)
    await screen.send(.alert(.alertSnapshotChanged(snapshot([("Ana", .sent, nil), ("Ben", .sent, nil)]))))
    #expect(screen.state.answerCount == 0)
    await screen.send(.alert(.alertSnapshotChanged(snapshot([("Ana", .acknowledged, nil), ("Ben", .sent, nil)]))))
    #expect(screen.state.answerCount == 1)
    #expect(screen.text.contains("★ Ana is responding"))
    let both = [
      ("Ana", DeliveryState.acknowledged, nil as String?), ("Ana", .acknowledged, nil), ("Ben", .acknowledged, nil),
    ]
    await screen.send(.alert(.alertSnapshotChanged(snapshot(both))))
    await screen.send(.alert(.alertSnapshotChanged(snapshot(both))))
    #expect(screen.state.answerCount == 2)
    #expect(screen.text.contains("★ Ana and Ben are responding"))
    let declined = snapshot([("Ana", .seen, "can't come"), ("Ben", .acknowledged, nil)])
    await screen.send(.alert(.alertSnapshotChanged(declined)))
    #expect(screen.state.answerCount == 3)
  }

  @Test func `before the screen opened, or to another alert, rings nothing`() async {
    let screen = ScreenUnderTest(DeviceUnderTest(isSignedIn: true))
    await screen.send(.opened)
    await screen.send(.alert(.alertSnapshotChanged(snapshot([("Ana", .acknowledged, nil)]))))
    await screen.send(.alert(.alertSnapshotChanged(snapshot([("Ana", .acknowledged, nil)], alert: 2))))
    #expect(screen.state.answerCount == 0)
  }
}
