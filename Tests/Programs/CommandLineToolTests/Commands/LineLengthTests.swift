import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import SQLiteKit
import TestSupport
import Testing

@testable import DeviceCore
@testable import LocalStore

/// The texts of the commands fit a terminal of 80 columns, in each state of a device. Two kinds may be longer: a list
/// of a person's values, and a library's reason in parentheses or after a colon.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `No line has more than 80 columns` {
  private static let commands = [
    ["alert", "status"], ["status"], ["doctor"], ["sync"], ["queue", "list"], ["queue", "retry", "x"],
    ["queue", "discard", "01975000-0000-7000-8000-000000000001"], ["contacts", "remove", "Nobody"],
    ["contacts", "add", "12", "--name", "Ana"],
    ["contacts", "add", "+12025550143", "--name", "Ana", "--channel", "x:"],
    ["sessions", "list"], ["sessions", "end", "x"], ["sign-in", "12"], ["sign-in", "+12025550123"],
    ["sign-in", "+12025550123", "--code", "1"], ["sign-out"], ["config", "set", "endpoint", "x"],
    ["config", "get", "x"],
    ["config", "get", "endpoint"], ["config", "set", "region", "USA"], ["screen"],
    ["completions", "csh"], ["help", "nothing"], ["alert", "history", "--limit", "0"], ["sos"],
    ["alert", "deactivate"], ["alert", "watch"], ["alert", "update", "in the hut"],
    ["alert", "update", "--accuracy", "x"], ["service", "remove"], ["config", "set", "gpsd", "x:y"],
    ["alert", "activate", "--location"], ["alrt"], ["alert"], ["sos", "--mesage", "x"],
    ["sos", "--yes", "--no-sync", "--location", "nowhere", "--message", "Fell"], ["alert", "status"],
    ["sos", "--yes", "--no-sync", "--drill"], ["sos", "--yes", "--no-sync"],
    ["alert", "update", "--no-sync", "--location", "nowhere", "--battery", "x", "--accuracy", "x"],
    ["sos", "--yes", "--no-sync", "--gpsd", "x:y"], ["sync"], ["status"], ["doctor"],
    ["alert", "deactivate"], ["alert", "deactivate", "--yes", "--no-sync"], ["alert", "status"],
    ["alert", "deactivate", "--yes"], ["contacts", "test", "Nobody"], ["contacts", "test", "Ana", "--wait", "0"],
    ["inbox"], ["inbox", "--all"], ["respond"], ["respond", "Nobody"], ["respond", "Ben", "--there", "--cannot"],
    ["profile", "show"], ["profile", "set", "--name", "Zoe"], ["profile", "show"],
    ["sign-out"], ["sign-out", "--discard-pending"],
  ]

  private func check(_ device: TestDevice) throws {
    for command in Self.commands {
      for line in try device.run(command).longLines(hiding: device.folder.path) where !Self.isReasonOfLibrary(line) {
        Issue.record("\(line.count) columns by \(command.joined(separator: " ")): \(line)")
      }
    }
  }

  private static func isReasonOfLibrary(_ line: String) -> Bool {
    line.contains("the server cannot be reached (") || line.contains("the store cannot be opened: ")
  }

  @Test func `on a device that is not set up`() throws { try check(try TestDevice()) }

  @Test func `with an unreachable server`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    try device.run(
      "contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel", "https://ana.example")
    try check(device)
  }

  @Test func `with an expired session`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1", isExpired: true)
    try check(device)
  }

  @Test func `with unreadable data`() throws {
    let device = try TestDevice()
    try device.run("sos", "--yes", "--no-sync")
    try device.breakStore()
    try check(device)
  }

  @Test func `with an unreadable file in the spool`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    try #require(mkdir(device.home + "/spool", 0o700) == 0)
    writeFile(Array("{".utf8), device.home + "/spool/unreadable.json")
    try check(device)
  }

  @Test func `in the errors of rare failures`() {
    var unimported = OpeningReport()
    unimported.spoolError = "…"
    var unremovable = OpeningReport()
    unremovable.spoolRemovalError = "…"
    var unreadable = OpeningReport()
    unreadable.unreadableSpoolFiles = 1
    let reports = [unimported, unremovable, unreadable]
    let texts =
      reports.compactMap(\.spoolObstacle) + reports.flatMap(\.messages)
      + [
        DeviceTexts.dataStays("…"), DeviceTexts.otherAccount("+12025550123", 10),
        LocalStoreError(MigrationError.newerSchema(found: 99, known: 12)).message,
      ]
    #expect(texts.count == 9)
    for text in texts {
      for line in "lifesignal: \(text)".split(separator: "\n") {
        #expect(line.count <= 80, "\(line.count) columns: \(line)")
      }
    }
  }
}
