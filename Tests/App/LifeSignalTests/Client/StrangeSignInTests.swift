import CurlKit
import LocalStore
import Model
import ProgramTesting
import Testing
import Wire

@testable import DeviceCore

@Suite struct `A sign-in that goes wrong` {
  private static let time = Timestamp(milliseconds: 1_800_000_000_000)

  /// An account session whose server answers every sign-in for `phone`.
  private func account(_ store: LocalStore, answeringFor phone: String) -> AccountSession {
    var configuration = Configuration()
    configuration.endpoint = "https://alerts.example.org"
    let tokens = TokenResponse(accessToken: "a", refreshToken: "r", expiresAt: Self.time)
    let user = SessionResponse.User(id: Identifier(versionSevenAt: Self.time, random: (1, 1)), phone: phone)
    let body = SessionResponse(tokens: tokens, alertKey: "k", user: user).json()
    let head = CurlResponseHead(status: 201, headers: ["content-type": "application/json"])
    return AccountSession(
      store: store, configuration: configuration,
      caller: { (_) throws(CurlError) in CurlResponse(head: head, body: body) })
  }

  // Waiting items would become another person's, and the owner could not sign in over it.
  @Test func `an answer for another number signs nobody in`() throws {
    let device = try TestDevice()
    let store = try device.openStore()
    defer { store.close() }
    #expect(throws: AccountError.notOurServer("the server answered for another number: not signed in")) {
      try account(store, answeringFor: "+12025550199")
        .confirm("v", of: "+12025550123", code: "123456", at: DeviceClock.now())
    }
    #expect(try store.session() == nil)
    let session = try account(store, answeringFor: "+12025550123")
      .confirm("v", of: "+12025550123", code: "123456", at: DeviceClock.now())
    #expect(try store.session() == session)
  }
}
