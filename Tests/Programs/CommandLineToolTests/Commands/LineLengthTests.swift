import Foundation
import ProgramTesting
import Testing

/// What commands say to a person, in the states that a device gets into, fits a terminal of 80 columns. Lists are as long as what
/// they list, and a reason that a library gives, in parentheses or after a colon, is as long as it makes it.
@Suite(.timeLimit(.minutes(5))) struct `No line has more than 80 columns` {
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
    ["alert", "deactivate"],
    ["alert", "activate", "--location"], ["alrt"], ["alert"], ["sos", "--mesage", "x"],
    ["sos", "--yes", "--no-sync", "--location", "nowhere", "--message", "Fell"], ["alert", "status"],
    ["sos", "--yes", "--no-sync", "--drill"], ["sos", "--yes", "--no-sync"], ["sync"], ["status"], ["doctor"],
    ["alert", "deactivate"], ["alert", "deactivate", "--yes", "--no-sync"], ["alert", "status"],
    ["alert", "deactivate", "--yes"], ["sign-out"], ["sign-out", "--discard-pending"],
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

  @Test func `where the server cannot be reached`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    try device.run(
      "contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel", "https://ana.example")
    try check(device)
  }

  @Test func `where the session has expired`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1", isExpired: true)
    try check(device)
  }

  @Test func `where the data cannot be read`() throws {
    let device = try TestDevice()
    try device.run("sos", "--yes", "--no-sync")
    try device.breakStore()
    try check(device)
  }
}
