import ChildPrograms
import Foundation
import ProgramTesting
import SQLiteKit
import Testing

/// An end that was discarded before the server had it: for everybody else the alert is active.
@Suite(.blocking) struct `An end that was discarded` {
  /// Signs in, raises an alert that the server receives, ends it, and discards the end.
  private func discardEnd(of device: TestDevice, at server: RunningServer) throws {
    try device.signIn(at: server)
    try #require(try device.run("alert", "activate", "--yes").output.contains("RECEIVED"))
    try #require(try device.run("alert", "deactivate", "--yes", "--no-sync").status == 0)
    let queued = try device.run("queue", "list", "--json").jsonLines()
    let end = try #require(try queued.first { try $0.string("kind") == "alert.deactivate" })
    try #require(try device.run("queue", "discard", end.string("id")).status == 0)
  }

  @Test func `is reported by ending once more, which sends it`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    defer { server.stop() }
    try discardEnd(of: device, at: server)

    let unanswered = try device.run("alert", "deactivate")
    #expect(unanswered.status == 64 && unanswered.error.contains("still ACTIVE"), "\(unanswered)")
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.status == 0)
    #expect(ended.output.hasPrefix("Your responders do NOT know that the alert of"), "\(ended)")
    #expect(ended.output.contains("RECEIVED by the server"), "\(ended)")
    let connection = try Connection(path: device.folder.path("server.sqlite"))
    defer { connection.close() }
    #expect(
      try connection.statement("SELECT ended_at FROM alerts").rows { row in try row.isNull("ended_at") } == [false])
    #expect(try device.run("alert", "deactivate", "--yes").output.contains("No alert is active"))
  }

  @Test func `ends no alert that was raised while the person was asked`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    defer { server.stop() }
    try discardEnd(of: device, at: server)

    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "alert", "deactivate")
    try terminal.wait(for: "press Enter: ")
    try #require(try device.run("alert", "activate", "--yes", "--no-sync", "--message", "again").status == 0)
    terminal.type("safe\n")
    try terminal.wait(for: "STILL ACTIVE:")
    #expect(try process.waitForEnd() == .status(0))
    let status = try device.run("alert", "status", "--json").json()
    #expect(try status.boolean("active") && status.object("alert").string("message") == "again")
  }

  @Test func `or unsent is reported by the status, and sent by ending once more`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.signIn(at: server)
    try #require(try device.run("alert", "activate", "--yes").output.contains("RECEIVED"))
    try #require(try device.run("alert", "deactivate", "--yes", "--no-sync").status == 0)
    let unsent = "Your responders do NOT know yet that you are safe"
    #expect(try device.run("alert", "status").output.contains(unsent))
    #expect(try device.run("alert", "status", "--json").json().object("delivery").boolean("end_unsent"))
    #expect(try device.run("alert", "deactivate", "--no-sync").output.contains("\(unsent).\nNot sent (--no-sync)."))

    let ended = try device.run("alert", "deactivate")
    #expect(ended.status == 0 && ended.output.contains("RECEIVED by the server"), "\(ended)")
    #expect(try !device.run("alert", "status").output.contains(unsent))
    #expect(try device.run("alert", "deactivate").output.hasSuffix("No alert is active. Nothing to end.\n"))
  }
}
