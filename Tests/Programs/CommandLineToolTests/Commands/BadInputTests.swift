import ChildPrograms
import Foundation
import ProgramTesting
import Testing

@Suite(.blocking) struct `Bad input` {
  /// Such as `--home /tmp`: it would be taken from everybody else.
  @Test func `a file, or a folder of something else, is no home and keeps its mode`() throws {
    let device = try TestDevice()
    let (folder, file) = (device.folder.path("shared"), device.folder.path("shared/notes"))
    try #require(mkdir(folder, 0o755) == 0)
    try Data("notes".utf8).write(to: URL(fileURLWithPath: file))
    try #require(chmod(folder, 0o755) == 0 && chmod(file, 0o644) == 0)
    for (home, words) in [(folder, "holds other things"), (file, "is not a folder")] {
      for command in [["status"], ["queue", "list"], ["alert", "deactivate", "--yes"]] {
        let refused = try device.run(["--home", home] + command)
        #expect(refused.status == 73 && refused.error.contains("\(home) \(words)"), "\(refused)")
      }
    }
    // A call for help is kept all the same, in a file of its own.
    let called = try device.run("--home", folder, "alert", "activate", "--yes")
    #expect(called.error.contains("NOT SENT YET.") && called.error.contains("holds other things"), "\(called)")
    #expect(try device.folder.mode(of: "shared") == 0o755 && device.folder.mode(of: "shared/notes") == 0o644)
    let empty = device.folder.path("empty")
    try #require(mkdir(empty, 0o755) == 0 && chmod(empty, 0o755) == 0)
    #expect(try device.run("--home", empty, "status").status == 0)
    #expect(try device.folder.mode(of: "empty") == 0o700)
  }

  @Test(arguments: [
    ["allert"], ["alert"], ["alert", "activate", "--frobnicate"], ["contacts", "add"],
    ["contacts", "add", "+12025550143"],
    ["config", "set", "endpoint"], ["alert", "history", "--limit"], ["queue", "retry"], ["sign-in"], ["completions"],
    [],
  ]) func `an invalid command line prints the usage on standard error`(arguments: [String]) throws {
    let device = try TestDevice()
    let outcome = try device.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.error.contains("usage: lifesignal"))
    #expect(device.isUntouched)
  }

  static let badData: [([String], String)] = [
    (["contacts", "add", "12", "--name", "Ana"], "+1 202 555 0123"),
    (["contacts", "add", "hello", "--name", "Ana", "--region", "US"], "phone number"),
    (["contacts", "add", "+12025550143", "--name", "Ana", "--channel", "ftp://example.org"], "https://"),
    (["contacts", "add", "+12025550143", "--name", "Ana", "--channel", "https://"], "https://"),
    (["contacts", "add", "+12025550143", "--name", "Ana", "--channel", "ntfy://host"], "ntfy://host/topic"),
    (["contacts", "add", "+12025550143", "--name", ""], "name"),
    (["contacts", "add", "2025550143", "--name", "Ana", "--region", "Germany"], "two"),
    (["contacts", "remove", "Ana"], "contacts list"),
    (["sign-in", "12"], "+1 202 555 0123"),
    (["sign-in", "+12025550123", "--code", "12345"], "6 digits"),
    (["alert", "history", "--limit", "0"], "1 to 1000"),
    (["alert", "history", "--limit", "1001"], "1 to 1000"),
    (["config", "set", "endpoint", "http://example.org"], "https://"),
    (["config", "set", "endpoint", "http://127.0.0.1.example.org"], "https://"),
    (["config", "set", "endpoint", "ftp://example.org"], "https://"),
    (["config", "set", "second_endpoint", "example.org"], "https://"),
    (["config", "set", "region", "Germany"], "two letters"),
    (["config", "set", "ca_file", "/nonexistent"], "PEM"),
    (["config", "set", "endpiont", "https://example.org"], "Did you mean endpoint?"),
    (["completions", "tcsh"], "bash, zsh, fish"),
    (["queue", "retry", "1"], "queue list"),
  ]

  @Test(arguments: badData) func `invalid data is refused with the accepted form, and nothing is stored`(
    arguments: [String], form: String
  ) throws {
    let device = try TestDevice()
    let outcome = try device.run(arguments)
    #expect(outcome.status == 65)
    #expect(outcome.output.isEmpty)
    #expect(outcome.error.split(separator: "\n").count <= 3)
    #expect(outcome.error.contains(form), "\(outcome.error)")
    #expect(device.isUntouched)
    #expect(!FileManager.default.fileExists(atPath: device.home + "/config"))
  }

  @Test(arguments: badData) func `with --json the error is an object on standard error`(
    arguments: [String], form: String
  ) throws {
    let outcome = try TestDevice().run(arguments + ["--json"])
    let error = try outcome.jsonError()
    #expect(try error.string("message").contains(form))
    #expect(try !error.string("code").isEmpty)
    #expect(outcome.output.isEmpty)
  }

  @Test func `a usage error is an object too with --json`() throws {
    let outcome = try TestDevice().run("alert", "activate", "--nonsense", "--json")
    #expect(outcome.status == 64)
    #expect(try outcome.jsonError().string("code") == "usage")
  }

  @Test func `a message of exactly 1,000 characters is accepted`() throws {
    let message = String(repeating: "ä", count: 1000)
    let outcome = try TestDevice().run("alert", "activate", "--yes", "--no-sync", "--json", "--message", message)
    #expect(outcome.status == 0)
    #expect(try outcome.json().object("alert").string("message") == message)
  }

  @Test func `raising and ending need a terminal or --yes`() throws {
    let device = try TestDevice()
    let raised = try device.run("alert", "activate")
    #expect(raised.status == 64)
    #expect(raised.error.contains("NOT raised"))
    #expect(raised.error.contains("--yes"))
    #expect(try device.run("alert", "activate", "--yes", "--no-sync").status == 0)
    let ended = try device.run("alert", "deactivate")
    #expect(ended.status == 64)
    #expect(ended.error.contains("still ACTIVE"))
    #expect(try device.run("alert", "status", "--json").json().boolean("active"))
  }

  @Test func `the screen needs a terminal, and writes no JSON`() throws {
    let device = try TestDevice()
    let outcome = try device.run("screen")
    #expect(outcome.status == 64)
    #expect(outcome.error.contains("needs a terminal"))
    let json = try device.run("screen", "--json")
    #expect(json.status == 64)
    #expect(try json.jsonError().string("code") == "usage")
    #expect(device.isUntouched)
  }

  @Test func `an invalid contact is refused before any setting is read`() throws {
    let device = try TestDevice()
    // Settings that cannot be read.
    try FileManager.default.createDirectory(atPath: device.home + "/config", withIntermediateDirectories: true)
    let outcome = try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--channel", "gopher://host")
    #expect(outcome.status == 65, "\(outcome)")
  }

  @Test func `an unknown contact or queued item is reported as unknown`() throws {
    let device = try TestDevice()
    let id = "01975000-0000-7000-8000-000000000001"
    #expect(try device.run("contacts", "remove", id).status == 65)
    #expect(try device.run("queue", "retry", id).status == 65)
    #expect(try device.run("queue", "discard", id, "--json").jsonError().string("code") == "not_found")
  }

  @Test func `asking for help never raises an alert`() throws {
    let device = try TestDevice()
    let outcome = try device.run("alert", "activate", "--yes", "--no-sync", "--help")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("usage: lifesignal alert activate"))
    #expect(device.isUntouched)
  }
}
