import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

/// Irreversible actions ask for confirmation on a terminal, and only there.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `Giving something up` {
  @Test func `a queued alert is discarded only by the word discard, and shown as discarded`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync")
    let items = try device.run("queue", "list", "--json").jsonLines()
    let id = try #require(try items.first { try $0.string("kind") == "alert.activate" }?.string("id"))
    for (word, status) in [("yes", 1), ("discard", 0)] as [(String, Int32)] {
      let terminal = try PseudoTerminal()
      let process = try terminal.start(device, "queue", "discard", id)
      try terminal.wait(for: "THIS IS A CALL FOR HELP")
      try terminal.wait(for: "press Enter: ")
      terminal.type(word + "\n")
      #expect(try process.waitForEnd() == .status(status))
      #expect(try device.run("alert", "status", "--json").json().boolean("active") == (status != 0))
    }
    for command in [["alert", "status"], ["status"]] {
      let shown = try device.run(command)
      #expect(shown.output.hasPrefix("DISCARDED: the alert raised"), "\(shown.output)")
      #expect(!shown.output.contains("No alert so far"))
      let json = try device.run(command + ["--json"]).json()
      #expect(try json.object("discarded").string("id") == items[0].string("entity_id"))
      #expect(try !json.boolean("active"))
    }
    let history = try device.run("alert", "history").output
    #expect(history.contains("discarded, never confirmed") && !history.contains("ACTIVE"), "\(history)")
    try device.run("alert", "activate", "--yes", "--no-sync")
    #expect(try !device.run("alert", "status", "--json").json().keys.contains("discarded"))
  }

  @Test func `a further call for help is not discarded as something less important`() throws {
    let device = try TestDevice()
    for _ in 1...2 { try device.run("alert", "activate", "--yes", "--no-sync") }
    let items = try device.run("queue", "list", "--json").jsonLines()
    let id = try #require(try items.first { try $0.string("kind") == "alert.update" }?.string("id"))
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "queue", "discard", id)
    try terminal.wait(for: "THIS IS A CALL FOR HELP")
    try terminal.wait(for: "press Enter: ")
    terminal.type("no\n")
    #expect(try process.waitForEnd() == .status(1))
  }

  @Test func `a script is not asked`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync")
    let item = try #require(try device.run("queue", "list", "--json").jsonLines().first)
    #expect(try device.run("queue", "discard", item.string("id"), "--yes").status == 0)
  }

  @Test func `a stray key does not leave an active alert`() throws {
    let folder = try TemporaryFolder()
    let server = try RunningServer(folder)
    let device = try TestDevice()
    try device.signIn(at: server)
    try #require(try device.run("alert", "activate", "--yes").status == 0)
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "sign-out", "--discard-pending")
    try terminal.wait(for: "AN ALERT IS ACTIVE.")
    try terminal.wait(for: "press Enter: ")
    terminal.type("\n")
    try terminal.wait(for: "You are still signed in")
    #expect(try process.waitForEnd() == .status(1))
    #expect(try device.run("alert", "status", "--json").json().boolean("active"))
    #expect(try device.run("sign-out", "--discard-pending").status == 0, "a script is not asked")
  }

  @Test func `a sign-out names the stores that were set aside, and deletes them with the discarded items`() throws {
    let folder = try TemporaryFolder()
    let server = try RunningServer(folder)
    let device = try TestDevice()
    for isDiscarding in [false, true] {
      if !isDiscarding { try device.signIn(at: server) }
      let setAside = device.home + "/damaged-20260101T000000Z-1"
      try FileManager.default.createDirectory(atPath: setAside, withIntermediateDirectories: true)
      try Data("secret".utf8).write(to: URL(fileURLWithPath: setAside + "/store.sqlite"))
      if isDiscarding {
        try device.signInLocally(endpoint: server.endpoint)
        let outcome = try device.run("sign-out", "--discard-pending")
        // The server does not know this session, which counts as ended.
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: setAside))
      } else {
        let outcome = try device.run("sign-out")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.error.contains(setAside))
        #expect(!outcome.output.contains("holds nothing of the account"))
        #expect(FileManager.default.fileExists(atPath: setAside))
      }
    }
  }
}

/// `sudo lifesignal …`: root in another user's home.
@Suite(.blocking, .enabled(if: geteuid() == 0, "only root can be root in another's home"))
struct `Root in another user's home` {
  private static let other: uid_t = 65_534

  private func makeDevice(isReachable: Bool) throws -> TestDevice {
    let device = try TestDevice()
    // Only root can enter the parent folder unless it is opened.
    try #require(chmod(device.folder.path, isReachable ? 0o755 : 0o700) == 0)
    try #require(mkdir(device.home, 0o700) == 0)
    try #require(chown(device.home, Self.other, Self.other) == 0)
    return device
  }

  private func owners(of folder: String) throws -> Set<UInt32> {
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).map { folder + "/" + $0 } + [folder]
    return Set(
      files.map { path in
        var status = stat()
        lstat(path, &status)
        return status.st_uid
      })
  }

  @Test(arguments: [true, false]) func `leaves all files to the owner`(isReachable: Bool) throws {
    let device = try makeDevice(isReachable: isReachable)
    #expect(try device.run("alert", "activate", "--yes", "--no-sync").status == 0)
    #expect(try device.run("config", "set", "endpoint", "https://alerts.example.org").status == 0)
    #expect(try device.run("contacts", "add", "+12025550143", "--name", "Ana").status == 0)
    #expect(try owners(of: device.home) == [Self.other])
  }

  @Test func `leaves a store that its owner can read, and returns files that an earlier root had made`() throws {
    let device = try makeDevice(isReachable: true)
    #expect(try device.run("alert", "activate", "--yes", "--no-sync").status == 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: device.home) {
      try #require(chown(device.home + "/" + name, 0, 0) == 0)
    }
    let asOwner = "setpriv --reuid=\(Self.other) --regid=\(Self.other) --clear-groups"
    let program = device.folder.path("lifesignal")
    try #require(try device.shell("cp \"$LIFESIGNAL\" \(program) && chmod 755 \(program)").status == 0)
    #expect(try device.shell("\(asOwner) \(program) alert status --json").status != 0, "the finding")
    #expect(try device.run("alert", "activate", "--yes", "--no-sync").status == 0)
    let status = try device.shell("\(asOwner) \(program) alert status --json")
    #expect(status.status == 0, "\(status)")
    #expect(try status.json().boolean("active"))
  }

  @Test func `does not change the owner of files that are only linked there`() throws {
    let device = try makeDevice(isReachable: true)
    let secret = device.folder.path("secret")
    try Data("root's".utf8).write(to: URL(fileURLWithPath: secret))
    try #require(symlink(secret, device.home + "/config") == 0)
    try #require(link(secret, device.home + "/reserve") == 0)
    #expect(try device.run("alert", "activate", "--yes", "--no-sync").status == 0)
    var status = stat()
    #expect(stat(secret, &status) == 0 && status.st_uid == 0)
  }
}
