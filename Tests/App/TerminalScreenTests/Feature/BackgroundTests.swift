import Foundation
import LifeSignalFeatures
import Testing

@testable import TerminalScreen

/// The process that goes on sending when the screen has ended.
@MainActor @Suite struct `Sending when the screen has ended` {
  private let start = DeviceUnderTest.noon
  private let signedIn = ConnectionStatus(isSignedIn: true, pendingCount: 1)

  private func screen(_ device: DeviceUnderTest) async -> ScreenUnderTest {
    let screen = ScreenUnderTest(device)
    await screen.send(.opened)
    return screen
  }

  private func raise(_ screen: ScreenUnderTest) async {
    for _ in 1...4 {
      await screen.press(.space)
      await screen.wait(milliseconds: 300)
    }
  }

  @Test func `a process in the background is started as soon as an alert is saved, and after its end`() async {
    let device = DeviceUnderTest(isSignedIn: true, background: .standingBy)
    let screen = await screen(device)
    #expect(device.backgroundStarts == 0)
    await raise(screen)
    #expect(device.alertsRaised == 1 && device.backgroundStarts == 1)
    await screen.send(
      .alert(.alertSnapshotChanged(AlertSnapshot(isActive: true, startTime: start, connection: signedIn))))
    #expect(device.backgroundStarts == 1, "one is enough")
    await screen.send(.alert(.alertDeactivationProgressChanged(1)))
    #expect(!device.isActive)
    await screen.send(
      .alert(
        .alertSnapshotChanged(
          AlertSnapshot(
            startTime: start, endTime: start.addingTimeInterval(60), delivery: AlertDelivery(savedAt: start),
            connection: signedIn))))
    #expect(device.backgroundStarts > 1)
  }

  @Test func `it is started for an alert that the screen finds active, and for a message to the responders`() async {
    let device = DeviceUnderTest(isActive: true, isSignedIn: true, background: .standingBy)
    let screen = await screen(device)
    #expect(device.backgroundStarts == 1)
    await screen.send(.alert(.updateResponse(.success(()))))
    #expect(device.backgroundStarts == 2, "it may have been killed since")
  }

  @Test func `without a session nothing can be sent, and none is started before the sign-in`() async {
    let device = DeviceUnderTest(isActive: true, background: .standingBy)
    let screen = await screen(device)
    #expect(device.backgroundStarts == 0)
    await screen.send(.auth(.authenticationStatusResponse(true)))
    #expect(device.backgroundStarts == 1)
  }

  @Test func `the question and the last words say that it keeps trying`() async {
    let screen = await screen(DeviceUnderTest(isActive: true, isSignedIn: true, background: .standingBy))
    await screen.press(.character("q"))
    #expect(screen.text.contains("a process in the background"))
    #expect(!screen.text.contains("stops trying"))
    #expect(
      screen.state.farewell
        == "The alert is still active.\nIt is saved here, and the server has not confirmed it.\n"
        + "A process in the background keeps trying. To follow it: lifesignal alert watch")
    #expect(
      screen.state.stopWords?.hasSuffix("While this is stopped, a process in the background keeps trying.") == true)
  }

  @Test func `they say why there is none, and what to do`() async {
    let screen = await screen(DeviceUnderTest(isActive: true, isSignedIn: true, background: .failed("no program")))
    await screen.press(.character("q"))
    #expect(screen.text.contains("If you quit, this device stops trying."))
    #expect(
      screen.state.farewell?.hasSuffix("Nothing sends it now. No program.\nRun: lifesignal sync --watch") == true)
    #expect(screen.state.stopWords?.hasSuffix("nothing here sends it: fg") == true)
  }
}
