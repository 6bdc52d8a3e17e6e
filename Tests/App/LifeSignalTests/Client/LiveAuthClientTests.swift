import Foundation
import LifeSignalFeatures
import ProgramTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The live sign-in` {
  @Test func `a code signs in by the id of its verification, once`() async throws {
    let live = try await LiveServer()
    #expect(await !live.auth.isAuthenticated())
    #expect(try await live.dependencies.userClient.currentUser() == nil)
    let id = try await live.auth.sendVerificationCode(to: LiveServer.phone, region: .unitedStates)
    let code = try live.server.code()
    let wrong = await #expect(throws: LifeSignalError.self) {
      try await live.auth.verifyCode(LiveServer.wrong(code), verificationID: id)
    }
    #expect(wrong?.code == .refused, "it may be tried again")
    #expect(wrong?.isRefusal == true, "the code is erased")
    try await live.auth.verifyCode(code, verificationID: id)
    #expect(await live.auth.isAuthenticated())
    let user = try #require(try await live.dependencies.userClient.currentUser())
    #expect(user.phoneNumber == "+12025550123")
    #expect(!user.isSessionExpired)
    let again = await #expect(throws: LifeSignalError.self) {
      try await live.auth.verifyCode(code, verificationID: id)
    }
    #expect(again?.code == .codeSpent)
    #expect(again?.localizedDescription.contains("ask for a new one") == true)
  }

  @Test func `an unknown id signs nobody in`() async throws {
    let live = try await LiveServer()
    let error = await #expect(throws: LifeSignalError.self) {
      try await live.auth.verifyCode("123456", verificationID: "")
    }
    #expect(error?.code == .codeSpent)
  }

  @Test func `an impossible number is refused when the code is requested`() async throws {
    let live = try await LiveServer()
    let error = await #expect(throws: LifeSignalError.self) {
      try await live.auth.sendVerificationCode(to: "1234567890", region: .unitedStates)
    }
    #expect(error?.code == .invalid)
    #expect(error?.localizedDescription.contains("not a phone number") == true)
  }

  @Test func `a code that is on its way is not sent twice`() async throws {
    let live = try await LiveServer()
    let first = try await live.auth.sendVerificationCode(to: LiveServer.phone, region: .unitedStates)
    let second = try await live.auth.sendVerificationCode(to: "+12025550123", region: .unitedStates)
    #expect(first == second)
    let left = try #require(live.auth.secondsUntilResend(of: second))
    #expect((1...60).contains(left))
    #expect(live.auth.secondsUntilResend(of: "another") == nil)
    try await live.auth.verifyCode(live.server.code(), verificationID: second)
    #expect(await live.auth.isAuthenticated())
  }

  @Test func `the signed-in account is streamed as it changes`() async throws {
    let live = try await LiveServer()
    var states = live.auth.authenticationStates().makeAsyncIterator()
    var users = live.dependencies.userClient.observeUser().makeAsyncIterator()
    #expect(await states.next() == false)
    #expect(await users.next() == .some(nil))
    try await live.signIn()
    #expect(await states.next() == true)
    #expect(await users.next()??.phoneNumber == "+12025550123")
    #expect(try await !live.client.status().connection.isSessionExpired)
    try live.device.expireSession()
    #expect(await states.next() == false)
    #expect(await users.next()??.isSessionExpired == true)
    let snapshot = await live.alerts.snapshots().first { _ in true }
    #expect(snapshot?.connection.isSignedIn == false)
    #expect(snapshot?.connection.isSessionExpired == true, "alerts are still sent")
    #expect(try await live.client.status().connection.isSessionExpired)
  }

  @Test func `signing out reports the waiting items, and discards them only on demand`() async throws {
    let live = try await LiveServer()
    try await live.signIn()
    _ = try await live.alerts.activateAlert()
    let losses = try await live.auth.signOutLosses()
    #expect(losses.pendingCount == 2 && losses.isAlertActive)
    #expect(losses.alertCount == 1 && losses.contactCount == 0 && losses.otherCount == 0)
    let error = await #expect(throws: LifeSignalError.self) { try await live.auth.signOut() }
    #expect(error?.code == .queueNotEmpty)
    #expect(await live.auth.isAuthenticated())
    await #expect(throws: LifeSignalError.self) {
      // No device counted it: it discards nothing.
      try await live.auth.signOut(SignOutLosses(otherCount: 2, isAlertActive: true))
    }
    try await live.auth.signOut(losses)
    #expect(await !live.auth.isAuthenticated())
    #expect(try await live.auth.signOutLosses().pendingCount == 0)
    #expect(try await live.alerts.getAlertHistory().isEmpty)
  }

  @Test func `signing out discards the confirmed items, and no newer alert`() async throws {
    let live = try await LiveServer()
    try await live.signIn()
    try await live.addResponder()
    let asked = try await live.auth.signOutLosses()
    #expect(asked.pendingCount == 1 && asked.contactCount == 1 && !asked.isAlertActive)
    try live.device.run("alert", "activate", "--yes", "--no-sync")
    let error = await #expect(throws: LifeSignalError.self) { try await live.auth.signOut(asked) }
    #expect(error?.code == .queueNotEmpty)
    #expect(await live.auth.isAuthenticated())
    _ = try await live.client.sync()
    #expect(try live.receiver.next().contains("needs help"), "the session still sends it")
    let losses = try await live.client.signOutLosses()
    #expect(losses.pendingCount == 0 && losses.isAlertActive)
    _ = try await live.alerts.deactivateAlert()
    let other = await #expect(throws: LifeSignalError.self) {
      try await live.client.signOut(accepting: losses)
    }
    #expect(other?.code == .queueNotEmpty)
    // Asking again without an answer discards nothing more.
    let last = try await live.auth.signOutLosses()
    #expect(last.pendingCount == 2)
    await #expect(throws: LifeSignalError.self) { try await live.auth.signOut(asked) }
    try await live.auth.signOut(last)
    #expect(await !live.auth.isAuthenticated())
  }

  @Test func `the texts for an app name no command`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let auth = AuthClient.live(client)
    let error = await #expect(throws: LifeSignalError.self) {
      try await auth.sendVerificationCode(to: LiveServer.phone, region: .unitedStates)
    }
    #expect(error?.code == .notConfigured)
    #expect(error?.localizedDescription == "no server is set")
    #expect(try await client.settings().endpoint == nil)
  }
}
