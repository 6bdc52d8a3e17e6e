import Foundation
import LifeSignalFeatures
import Testing

@testable import TerminalScreen

@MainActor @Suite struct `Leaving the screen` {
  private let start = DeviceUnderTest.noon

  private func screen(_ snapshot: AlertSnapshot) async -> ScreenUnderTest {
    let screen = ScreenUnderTest(DeviceUnderTest(isActive: snapshot.isActive, isSignedIn: true))
    await screen.send(.opened)
    await screen.send(.alert(.alertSnapshotChanged(snapshot)))
    return screen
  }

  @Test func `it asks first while the server does not have the alert`() async {
    let screen = await screen(
      AlertSnapshot(isActive: true, startTime: start, connection: ConnectionStatus(isSignedIn: true, pendingCount: 1)))
    await screen.press(.character("q"))
    #expect(!screen.state.isQuitting)
    #expect(screen.text.contains("It is saved here, and the server has"))
    #expect(screen.text.contains("[▸ Stay ◂]"))
    await screen.wait(milliseconds: 700)
    await screen.press(.enter)
    #expect(!screen.state.isQuitting)
    #expect(!screen.text.contains("Stay"))
    await screen.press(.character("q"), .tab)
    await screen.wait(milliseconds: 700)
    await screen.press(.enter)
    #expect(screen.state.isQuitting)
    #expect(screen.state.farewell?.hasSuffix("Nothing sends it now. Run: lifesignal sync --watch") == true)
  }

  @Test func `it asks while the end or another item is unsent`() async {
    let ended = await screen(
      AlertSnapshot(
        startTime: start, endTime: start.addingTimeInterval(60),
        delivery: AlertDelivery(savedAt: start, acceptedAt: start),
        connection: ConnectionStatus(isSignedIn: true, pendingCount: 1)))
    await ended.press(.character("q"))
    #expect(!ended.state.isQuitting)
    #expect(
      ended.state.farewell
        == "The alert has ended. That is saved here, and the server has not confirmed it.\nNothing sends it now. "
        + "Run: lifesignal sync --watch")
    let other = await screen(AlertSnapshot(connection: ConnectionStatus(isSignedIn: true, pendingCount: 2)))
    await other.press(.character("q"))
    #expect(!other.state.isQuitting)
    #expect(other.state.farewell?.hasPrefix("2 changes are waiting to be sent.\nNothing sends it now.") == true)
  }

  @Test func `it asks while the alert is being saved`() async {
    let screen = ScreenUnderTest()
    screen.store.send(.alert(.setActivationProgress(1)))
    #expect(screen.state.isBusy)
    screen.store.send(.key(.character("q"), atMilliseconds: 1))
    #expect(!screen.state.isQuitting)
    #expect(screen.state.isAskingToLeave)
  }

  @Test func `it leaves without a question if the server has everything`() async {
    let active = await screen(
      AlertSnapshot(
        isActive: true, startTime: start, delivery: AlertDelivery(savedAt: start, acceptedAt: start),
        connection: ConnectionStatus(isSignedIn: true)))
    await active.press(.character("q"))
    #expect(active.state.isQuitting)
    #expect(active.state.farewell == "The alert is still active. The server has it.")
    #expect(ScreenUnderTest().state.farewell == nil)
  }
}
