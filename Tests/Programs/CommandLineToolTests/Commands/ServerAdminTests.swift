import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import SQLiteKit
import TestSupport
import Testing

@testable import ServerTool

/// `lifesignal-server admin`.
@Suite(.blocking, .timeLimit(.minutes(10))) struct `The server's backup` {
  private let device: TestDevice
  private var folder: TemporaryFolder { device.folder }
  private var database: String { folder.path("server.sqlite") }
  private var copy: String { folder.path("copy.sqlite") }

  init() throws { device = try TestDevice() }

  private func admin(_ arguments: String...) throws -> Outcome {
    try device.run(program: Programs.server, ["admin"] + arguments)
  }

  private func server() throws -> RunningProgram {
    let server = try RunningProgram(Programs.server, ["--listen", "127.0.0.1:0", "--database", database])
    try server.line(containing: "listening on")
    return server
  }

  @Test func `is made while it runs, and put back while it does not`() throws {
    var running = try server()
    let config = folder.path("server.conf")
    try Data("database = \(database)\nsmtp = $CREDENTIALS_DIRECTORY/mail.json\n".utf8).write(
      to: URL(fileURLWithPath: config))
    let made = try admin("backup", copy, "--config", config)
    #expect(made.status == 0, "\(made)")
    #expect(
      made.output == "lifesignal-server: \(copy) is a whole copy of \(database): 0 accounts, 0 active alerts\n")

    let early = try admin("restore", copy, "--database", database)
    #expect(early.status == 69)
    #expect(early.error == "lifesignal-server: a server, or a backup, uses the database: stop it first\n")
    #expect(running.end(by: SIGTERM) == 0)

    let restored = try admin("restore", copy, "--database", database)
    #expect(restored.status == 0, "\(restored)")
    #expect(restored.output.contains("restored \(copy) to \(database): 0 accounts, 0 active alerts\n"))
    let kept = try #require(restored.output.split(separator: "the previous file is now ").last).dropLast()
    #expect(access(String(kept), F_OK) == 0 && kept.hasPrefix("\(database).before-"))
    running = try server()
    #expect(running.end(by: SIGTERM) == 0)
  }

  /// A log for whose content the file has no room, or no log and no room for one.
  @Test(.enabled(if: SmallDisk.isPossible, "needs the right to mount"), arguments: [true, false])
  func `is no condition for looking at a database on a full disk`(hasLog: Bool) throws {
    let disk = try #require(SmallDisk(at: folder.path("disk"), megabytes: 8))
    let database = disk.path + "/server.sqlite"
    let server = try RunningProgram(Programs.server, ["--listen", "127.0.0.1:0", "--database", database])
    try server.line(containing: "listening on")
    #expect(server.end(by: SIGTERM) == 0)
    let connection = try Connection(path: database)
    if hasLog {
      try connection.execute("CREATE TABLE large (x); INSERT INTO large VALUES (zeroblob(1000000)); DROP TABLE large")
    } else {
      try #require(try connection.checkpoint())
    }
    connection.close()
    if !hasLog { for name in ["-wal", "-shm"] { unlink(database + name) } }
    try disk.fill()
    let messages = try admin("deliveries", "list", "--database", database)
    #expect(messages.status == 0 && messages.output.contains("all messages got through"), "\(messages)")
    for command in [["accounts", "find"], ["accounts", "export"], ["sessions", "list"]] {
      let found = try device.run(
        program: Programs.server, ["admin"] + command + ["+12025550123", "--database", database])
      #expect(found.status == 65 && found.error.contains("has no account here"), "\(found)")
    }
  }

  @Test func `says what is wrong, and changes nothing`() throws {
    for (arguments, status, words) in [
      (["backup", copy, "--database", database], 73, "there is no database at \(database)"),
      (["backup", copy, "--database", "postgresql://db.example/a"], 65, "for PostgreSQL use pg_dump"),
      (["backup"], 64, "missing argument: FILE"), ([], 64, "missing command after “admin”"),
      (["restore", copy, "--database", database], 73, "\(copy) cannot be read: No such file or directory"),
      (["bakcup", copy], 64, "unknown command: bakcup. Did you mean backup?"),
    ] as [([String], Int32, String)] {
      let told = try device.run(program: Programs.server, ["admin"] + arguments)
      #expect(told.status == status, "\(told)")
      #expect(told.error.contains(words), "\(told)")
    }
    #expect(access(copy, F_OK) != 0 && access(database, F_OK) != 0)
  }

  @Test func `finds the settings of the package, but where another database could be meant`() throws {
    let (packaged, usual) = (folder.path("server.conf"), folder.path("usual.sqlite"))
    func file() throws(ServerFailure) -> String? {
      try AdminSettings.file(usualDatabase: usual, packaged: packaged)
    }
    #expect(try file() == nil)
    try Data().write(to: URL(fileURLWithPath: packaged))
    #expect(try file() == packaged)
    #expect(try AdminSettings.file(usualDatabase: nil, packaged: packaged) == packaged)
    try Data().write(to: URL(fileURLWithPath: usual))
    let refusal = #expect(throws: ServerFailure.self) { try file() }
    #expect(refusal?.message.hasSuffix("say which, with --config \(packaged) or --database \(usual)") == true)
    try FileManager.default.removeItem(atPath: packaged)
    #expect(try file() == nil)
  }

  @Test func `has help of its own`() throws {
    let told = try device.run(program: Programs.server, ["admin", "backup", "--help"])
    #expect(told.status == 0)
    #expect(told.output.contains("Copy the database while the server runs."))
    #expect(told.longLines(hiding: folder.path("")) == [])
  }
}
