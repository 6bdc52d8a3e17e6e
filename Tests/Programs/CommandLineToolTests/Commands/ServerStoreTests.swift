import ChildPrograms
import Foundation
import PostgresTesting
import ProgramTesting
import Testing

/// The server's choice of database file.
@Suite(.blocking) struct `The server's database` {
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
    #expect(words.contains("--create") && words.contains("; see “lifesignal-server admin restore”"), "\(words)")
    #expect(refused.end() != 0)
    let anew = try start("--create")
    try anew.line(containing: "warning: made a new, empty database at ")
    try anew.line(containing: "listening on")
    #expect(anew.end(by: SIGTERM) == 0)
  }

  @Test func `that is made anew is told, with what may be left of a former one`() throws {
    for name in ["server.sqlite.before-20261127101112", "copy.sqlite", "Backups", "notes.txt"] {
      try Data().write(to: URL(fileURLWithPath: folder.path(name)))
    }
    let first = try start()
    let told = try first.line(
      containing: "warning: made a new, empty database at \(folder.path("server.sqlite")). If you")
    #expect(told.contains("expected accounts, stop this server and see “lifesignal-server admin restore”"), "\(told)")
    #expect(told.hasSuffix(" are: Backups, copy.sqlite, server.sqlite.before-20261127101112"), "\(told)")
    try first.line(containing: "listening on")
    #expect(first.end(by: SIGTERM) == 0)
    let second = try start()
    try second.line(containing: "listening on")
    #expect(!second.lines.contains { $0.contains("made a new") }, "\(second.lines)")
    #expect(second.end(by: SIGTERM) == 0)
  }

  /// The next start finds it, and says nothing.
  @Test func `that is made anew is told also where the start then fails`() throws {
    let first = try start()
    let port = try #require(try first.line(containing: "listening on").split(separator: ":").last).prefix {
      $0.isNumber
    }
    let other = try TemporaryFolder()
    let refused = try RunningProgram(
      Programs.server, ["--listen", "127.0.0.1:\(port)", "--database", other.path("server.sqlite"), "--sms", "console"])
    try refused.line(containing: "warning: made a new, empty database at ")
    #expect(refused.end() != 0)
    #expect(first.end(by: SIGTERM) == 0)
  }

  @Test(.timeLimit(.minutes(5))) func `in PostgreSQL that was empty is told, and no command makes one of it`() throws {
    let database = try PostgresServer.shared().newDatabase()
    let url = database.url
    let looked = try RunningProgram(
      Programs.server, ["admin", "accounts", "find", "+12025550123", "--database", url])
    try looked.line(
      containing: "cannot open the database: it holds nothing of a server: name the server's file of settings")
    #expect(looked.end() == 69)
    func start() throws -> RunningProgram {
      let server = try RunningProgram(
        Programs.server, ["--listen", "127.0.0.1:0", "--database", url, "--sms", "console"])
      try server.line(containing: "listening on")
      return server
    }
    let first = try start()
    #expect(
      first.lines.contains {
        $0.contains("warning: the database postgres")
          && $0.contains(" held nothing of a server: its tables were made. If you")
      })
    #expect(first.end(by: SIGTERM) == 0)
    let second = try start()
    #expect(!second.lines.contains { $0.contains("held nothing") }, "\(second.lines)")
    #expect(second.end(by: SIGTERM) == 0)
    withExtendedLifetime(database) {}
  }

  @Test func `that is damaged is told, with where a copy is put back`() throws {
    try Data("this is no database, and was one before\n".utf8).write(
      to: URL(fileURLWithPath: folder.path("server.sqlite")))
    let refused = try start()
    let words = try refused.line(containing: "cannot open the database \(folder.path("server.sqlite")): ")
    #expect(words.contains("; see “lifesignal-server admin restore”"), "\(words)")
    #expect(refused.end() == 73)
  }
}
