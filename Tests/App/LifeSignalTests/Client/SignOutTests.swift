import Foundation
import LocalStore
import Model
import ProgramTesting
import Testing
import Wire

@testable import DeviceCore

@Suite(.timeLimit(.minutes(5))) struct `Signing out` {
  private func signOut(_ device: TestDevice, _ server: WebhookReceiver) throws {
    let store = try device.openStore()
    defer { store.close() }
    let configuration = try Configuration.load(HomeDirectory(path: device.home))
    let account = AccountSession(store: store, configuration: configuration)
    try account.signOut(account.signOutAgreement(at: DeviceClock.now()), at: DeviceClock.now())
    #expect(try store.session() == nil)
  }

  @Test func `an expired session is ended by its alert key`() throws {
    let device = try TestDevice()
    let server = try WebhookReceiver()
    defer { server.stop() }
    try device.signInLocally(endpoint: "http://127.0.0.1:\(server.port)", isExpired: true)
    try signOut(device, server)
    let requests = server.heads
    try #require(requests.count == 1)
    #expect(requests[0].hasPrefix("DELETE /v1/auth/sessions/current "))
    #expect(requests[0].contains("Bearer the-key\r\n"))
  }

  @Test func `a session that the server refuses is ended by its alert key`() throws {
    let device = try TestDevice()
    let problem = Problem(.sessionRevoked, "This session was ended. Sign in again.")
    let server = try WebhookReceiver { $0.contains("Bearer the-key") ? nil : problem }
    defer { server.stop() }
    try device.signInLocally(endpoint: "http://127.0.0.1:\(server.port)")
    try signOut(device, server)
    let paths = server.heads.map { $0.split(separator: " ")[1] }
    try #require(paths == ["/v1/auth/sessions/current", "/v1/auth/tokens", "/v1/auth/sessions/current"])
    #expect(server.heads[2].contains("Bearer the-key\r\n"))
  }

  @Test func `if the server cannot be reached, nothing is removed`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1", isExpired: true)
    let outcome = try device.run("sign-out", "--json")
    #expect(outcome.status == 75)
    #expect(try outcome.jsonError().string("code") == "unreachable")
    #expect(try device.run("status", "--json").json().object("account").boolean("expired"))
  }

  @Test func `an alert that is raised before the server has ended the session stops it`() throws {
    let device = try TestDevice()
    let problem = Problem(.sessionRevoked, "This session was ended. Sign in again.")
    let server = try WebhookReceiver { _ in
      _ = try? device.run("alert", "activate", "--yes", "--no-sync")
      return problem
    }
    defer { server.stop() }
    try device.signInLocally(endpoint: "http://127.0.0.1:\(server.port)")
    let outcome = try device.run("sign-out", "--discard-pending", "--json")
    #expect(outcome.status == 75)
    #expect(try outcome.jsonError().string("code") == "alert_active")
    #expect(server.heads.allSatisfy { !$0.contains("Bearer the-key") }, "what sends the alert is good")
    let status = try device.run("status", "--json").json()
    #expect(try status.boolean("active"))
    #expect(!status.isNull("account"))
  }

  @Test func `an alert that is raised during the server's request stays, and the error says so`() throws {
    let device = try TestDevice()
    let server = try WebhookReceiver { _ in
      _ = try? device.run("alert", "activate", "--yes", "--no-sync")
      return nil
    }
    defer { server.stop() }
    try device.signInLocally(endpoint: "http://127.0.0.1:\(server.port)")
    let outcome = try device.run("sign-out", "--discard-pending")
    #expect(outcome.status == 0)
    #expect(!outcome.output.contains("holds nothing"))
    #expect(outcome.error.contains("NOT sent, and still saved here: 1 alert, added meanwhile."))
    let status = try device.run("status", "--json").json()
    #expect(try status.boolean("active"))
    #expect(try status.object("sync").integer("pending") == 2)
    #expect(status.isNull("account"))
  }

  /// It may be an alert from another version of this program.
  @Test func `an unreadable file that appears during the server's request keeps all data, and the error says so`()
    throws
  {
    let device = try TestDevice()
    let spool = HomeDirectory(path: device.home).spoolPath
    let server = try WebhookReceiver { _ in
      try? FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: false)
      try? Data("{".utf8).write(to: URL(fileURLWithPath: "\(spool)/unreadable.json"))
      return nil
    }
    defer { server.stop() }
    try device.signInLocally(endpoint: "http://127.0.0.1:\(server.port)")
    let outcome = try device.run("sign-out")
    #expect(outcome.status == 75)
    #expect(outcome.error.contains("signed out on the server"))
    #expect(outcome.error.contains("may be an alert"))
    #expect(try device.run("status", "--json").json().object("account").boolean("expired"))
    let signIn = try device.run("sign-in", "+12025550177")
    #expect(signIn.status == 75)
    #expect(signIn.error.contains("may be an alert"))
    #expect(server.heads.count == 1, "no code is requested")
  }

  @Test func `the question says that an active alert can no longer be ended here`() throws {
    let device = try TestDevice()
    let server = try WebhookReceiver()
    defer { server.stop() }
    try device.signInLocally(endpoint: "http://127.0.0.1:\(server.port)")
    try device.run("alert", "activate", "--yes", "--no-sync")
    let outcome = try device.run("sign-out", "--discard-pending")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("holds nothing"))
    #expect(outcome.error.contains("THROWN AWAY, as you asked: a call for help."), "\(outcome)")
    #expect(
      outcome.error.contains("No attempt to send it is on record here, so most likely nobody was told."), "\(outcome)")
    #expect(!outcome.error.contains("can no longer end it"), "\(outcome)")
  }
}
