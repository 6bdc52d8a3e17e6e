import Foundation
import ProgramTesting
import Testing

/// The server's choice of database file.
@Suite struct `The server's database` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(_ more: String...) throws -> RunningProgram {
    try RunningProgram(
      Programs.server,
      ["--listen", "127.0.0.1:0", "--database", folder.path("server.sqlite"), "--sms", "console"] + more)
  }

  @Test(arguments: ["removed", "emptied"]) func `is created again only on request`(loss: String) throws {
    let first = try start()
    try first.line(containing: "listening on")
    #expect(first.end(by: SIGTERM) == 0)
    for name in ["server.sqlite", "server.sqlite-wal"] where folder.names().contains(name) {
      switch loss {
      case "removed": try FileManager.default.removeItem(atPath: folder.path(name))
      default: try Data().write(to: URL(fileURLWithPath: folder.path(name)))
      }
    }
    let refused = try start()
    let words = try refused.line(containing: "cannot open the database")
    #expect(words.contains("--create"), "\(words)")
    #expect(refused.end() != 0)
    let anew = try start("--create")
    try anew.line(containing: "listening on")
    #expect(anew.end(by: SIGTERM) == 0)
  }
}
