import ChildPrograms
import Foundation
import Glibc
import LifeSignal
import ProgramTesting
import Testing

/// `lifesignal sessions`, and the library's calls, against the real server.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `Sessions of a person's devices` {
  private let kept: TestDevice
  private let lost: TestDevice
  private let server: RunningServer

  init() throws {
    kept = try TestDevice()
    lost = try TestDevice()
    server = try RunningServer(kept.folder)
    try kept.signIn(at: server)
    try lost.signIn(at: server)
  }

  @Test func `a lost device's session is listed and ended from another`() throws {
    defer { server.stop() }
    let listed = try kept.run("sessions", "list", "--json").jsonLines()
    #expect(try listed.map { try $0.boolean("current") } == [false, true])
    let told = try kept.run("sessions", "list").output
    #expect(told.contains("(this device)"), "\(told)")
    let own = try kept.run("sessions", "end", listed[1].string("id"))
    #expect(own.status == 65)
    #expect(own.error.contains("sign out instead"), "\(own.error)")

    let ended = try kept.run("sessions", "end", listed[0].string("id"), "--json")
    #expect(ended.status == 0, "\(ended.error)")
    #expect(try ended.json().boolean("ended"))
    #expect(try kept.run("sessions", "list", "--json").jsonLines().count == 1)
    #expect(try lost.run("sync").status == 77)
    let again = try kept.run("sessions", "end", listed[0].string("id"), "--json")
    #expect(again.status == 65)
    #expect(try again.jsonError().string("code") == "not_found")
    #expect(try lost.run("sessions", "list").status == 77)
  }

  @Test func `the library lists and ends them too`() async throws {
    defer { server.stop() }
    let client = try LifeSignalClient.open(home: kept.home)
    let listed = try await client.sessions()
    #expect(listed.map(\.isCurrent) == [false, true])
    try await client.endSession(listed[0].id)
    #expect(try await client.sessions().count == 1)
    await #expect(throws: LifeSignalError.self) { try await client.endSession(listed[0].id) }
  }

  @Test func `without a session or a server it says so`() throws {
    let device = try TestDevice()
    #expect(try device.run("sessions", "list").status == 75)
    try #require(try device.run("config", "set", "endpoint", server.endpoint).status == 0)
    #expect(try device.run("sessions", "list").status == 77)
    server.stop()
    #expect(try kept.run("sessions", "list").status == 75)
    #expect(try kept.run("sessions", "end", "x").status == 65)
  }
}
