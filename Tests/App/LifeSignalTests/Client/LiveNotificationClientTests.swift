import LifeSignalFeatures
import ProgramTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The live notifications` {
  @Test func `without a worker, they send what is queued`() async throws {
    let live = try await LiveServer()
    try await live.signIn()
    try await live.addResponder()
    _ = try await live.alerts.activateAlert()
    try await live.dependencies.notificationClient.notifyRespondersOfAlert()
    #expect(try live.receiver.next().contains("needs help"))
    _ = try await live.alerts.deactivateAlert()
    try await live.dependencies.notificationClient.notifyRespondersOfAlertDeactivation()
    #expect(try live.receiver.next().contains("safe now"))
    #expect(try await live.auth.signOutLosses().pendingCount == 0)
  }

  @Test func `if nothing can be sent, they report it, and nothing is lost`() async throws {
    let live = try await LiveServer()
    _ = try await live.alerts.activateAlert()
    let notifications = live.dependencies.notificationClient
    let signedOut = await #expect(throws: LifeSignalError.self) { try await notifications.notifyRespondersOfAlert() }
    #expect(signedOut?.code == .notSignedIn)
    try await live.signIn()
    live.server.stop()
    let offline = await #expect(throws: LifeSignalError.self) { try await notifications.notifyRespondersOfAlert() }
    #expect(offline?.code == .unreachable)
    #expect(offline?.isRefusal == false)
    #expect(try await live.auth.signOutLosses().pendingCount == 2)
  }

  @Test func `a worker is woken`() async throws {
    let live = try await LiveServer()
    try await live.signIn()
    let worker = try RunningProgram(
      Programs.lifesignal, ["sync", "--watch"], environment: live.device.environment)
    try worker.line(containing: "connected")
    try await live.addResponder()
    _ = try await live.alerts.activateAlert()
    try await live.dependencies.notificationClient.notifyRespondersOfAlert()
    #expect(try live.receiver.next().contains("needs help"))
  }
}
