import ChildPrograms
import Foundation
import ProgramTesting
import SQLiteKit
import Testing

/// Items that wait at a sign-in are sent, and earlier results are not reported for them.
@Suite(.blocking) struct `Signing in` {
  private let device: TestDevice
  private let server: RunningServer

  init() throws {
    device = try TestDevice()
    server = try RunningServer(device.folder)
    try device.signIn(at: server)
    try #require(try device.run("alert", "activate", "--yes", "--message", "one").output.contains("RECEIVED"))
  }

  private func onServer() throws -> [String] {
    let connection = try Connection(path: device.folder.path("server.sqlite"))
    defer { connection.close() }
    return try connection.statement("SELECT coalesce(update_message, message) AS message, ended_at FROM alerts").rows {
      row in
      "\(try row["message", as: String.self]), \(try row.isNull("ended_at") ? "active" : "ended")"
    }
  }

  @Test func `sends a waiting further call`() throws {
    try #require(try device.run("alert", "activate", "--yes", "--no-sync", "--message", "two").status == 0)
    try device.signIn(at: server)
    #expect(try onServer() == ["two, active"])
  }

  @Test func `sends a waiting end`() throws {
    try #require(try device.run("alert", "deactivate", "--yes", "--no-sync").status == 0)
    try device.signIn(at: server)
    #expect(try onServer() == ["one, ended"])
  }
}
