import ChildPrograms
import PostgresTesting
import ProgramTesting
import Testing

/// A copy of a PostgreSQL database by its own tools, and back, as the guide for operators says.
@Suite(.blocking, .timeLimit(.minutes(10))) struct `A copy of a PostgreSQL database` {
  private static let person = "+12025550123"
  private let device: TestDevice
  private let database: TestDatabase
  private let server: RunningServer

  init() throws {
    device = try TestDevice()
    database = try PostgresServer.shared().newDatabase()
    server = try RunningServer(device.folder, database: database.url)
    try device.signIn(at: server, phone: Self.person)
    try lifesignal("contacts", "add", "+12025550143", "--name", "Ana", "--responder")
    try lifesignal("sync")
  }

  private func lifesignal(_ words: String...) throws { try done(Programs.lifesignal, words) }

  @discardableResult
  private func done(_ program: String, _ words: [String]) throws -> String {
    let outcome = try device.run(program: program, words)
    try #require(outcome.status == 0, "\(program) \(words): \(outcome)")
    return outcome.output
  }

  private func epoch(_ database: TestDatabase) throws -> String {
    try done("/usr/bin/psql", ["-qAtX", "-c", "SELECT epoch FROM accounts", database.url])
  }

  private func export(_ database: TestDatabase) throws -> String {
    try done(Programs.server, ["admin", "accounts", "export", Self.person, "--database", database.url])
  }

  @Test func `is made while the server runs, and devices send again what it lacks`() throws {
    let copy = device.folder.path("copy.dump"), restored = try PostgresServer.shared().newDatabase()
    try done("/usr/bin/pg_dump", ["--format=custom", "--file", copy, database.url])
    try lifesignal("contacts", "add", "+12025550177", "--name", "Carl", "--responder")
    try lifesignal("alert", "activate", "--yes", "--message", "after the copy")
    try lifesignal("sync")
    server.stop()
    try done(
      "/usr/bin/pg_restore",
      ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", "--dbname", restored.url, copy])
    #expect(try !export(restored).contains("Carl") && epoch(restored) == epoch(database))

    server.database = restored.url
    try server.start()
    try lifesignal("sync")
    let account = try export(restored)
    #expect(account.contains("Ana") && account.contains("Carl") && account.contains("after the copy"))
    #expect(try epoch(restored) != epoch(database), "devices see that it is another history")
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.output.contains("RECEIVED by the server"), "\(ended)")
  }

  @Test func `is what the commands for files point to`() throws {
    for command in ["backup", "restore"] {
      let told = try device.run(
        program: Programs.server, ["admin", command, device.folder.path("copy"), "--database", database.url])
      #expect(told.status == 65 && told.error.contains("admin \(command) --help says how"), "\(told)")
    }
  }
}
