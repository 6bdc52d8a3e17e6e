import ChildPrograms
import ProgramTesting
import SQLiteKit
import Testing

/// Two devices of one person, each with an alert of its own.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `Ending alerts of several devices` {
  private let folder: TemporaryFolder
  private let server: RunningServer
  private let device: TestDevice
  private let other: TestDevice

  init() throws {
    folder = try TemporaryFolder()
    server = try RunningServer(folder)
    device = try TestDevice()
    other = try TestDevice()
    try device.signIn(at: server)
    try other.signIn(at: server)
  }

  /// The messages of the alerts that are active on the server.
  private func active() throws -> [String] {
    let connection = try Connection(path: folder.path("server.sqlite"))
    defer { connection.close() }
    return try connection.statement("SELECT message FROM alerts WHERE ended_at IS NULL").rows { row in
      try row["message"]
    }
  }

  @Test func `asks the server first if no alert is known here`() throws {
    try #require(try other.run("sos", "--yes", "--message", "other").output.contains("RECEIVED"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.status == 0 && ended.output.contains("Asking the server"), "\(ended)")
    #expect(ended.output.contains("RECEIVED by the server"), "\(ended)")
    #expect(try active() == [])
  }

  @Test func `says if the server cannot be asked`() throws {
    server.stop()
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.error.contains("could not be asked"), "\(ended)")
    #expect(ended.error.contains("an alert of another device may be ACTIVE"), "\(ended)")
    #expect(ended.status == 75 && !ended.output.contains("Nothing to end"), "\(ended)")
    let json = try device.run("alert", "deactivate", "--yes", "--json")
    #expect(try json.status == 75 && json.json().boolean("active_unknown"), "\(json)")
    #expect(try json.jsonError().string("code") == "not_checked")
    #expect(try !device.run("alert", "deactivate", "--no-sync").error.contains("asked"))
  }

  @Test func `shows one that it did not know`() throws {
    try device.run("sos", "--yes", "--no-sync", "--message", "here")
    try #require(try other.run("sos", "--yes", "--message", "other").output.contains("RECEIVED"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.output.contains("RECEIVED by the server"), "\(ended)")
    #expect(ended.output.contains("ANOTHER ALERT IS ACTIVE"), "\(ended)")
    #expect(try active() == ["other"])
  }

  @Test func `shows no older receipt if a drill meets a call that the server does not have`() throws {
    try #require(try device.run("sos", "--yes").output.contains("RECEIVED"))
    server.stop()
    try device.run("sos", "--yes", "--no-sync", "--message", "it is worse")
    let drill = try device.run("alert", "activate", "--yes", "--drill").output
    #expect(drill.contains("NO DRILL") && drill.contains("NOT received your last call"), "\(drill)")
    #expect(!drill.contains("RECEIVED by the server"), "\(drill)")
  }

  /// Raises an alert on each device; the older one reaches the server later.
  private func raiseOnBoth(telling receiver: WebhookReceiver) throws {
    try device.addResponder(at: receiver)
    try device.run("sos", "--yes", "--no-sync", "--message", "here")
    try #require(try other.run("sos", "--yes", "--message", "there").output.contains("RECEIVED"))
    try #require(try device.run("sync").status == 0)
  }

  @Test func `who answers the newer one is shown by the status and by who follows`() throws {
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try raiseOnBoth(telling: receiver)
    let page = try ResponderPage(webhook: receiver.next())
    let watching = try RunningProgram(Programs.lifesignal, ["alert", "watch"], environment: device.environment)
    try watching.line(containing: "2 alerts are active.")
    try watching.line(containing: "Following the alert.")
    try page.answer("responding")
    try watching.line(containing: "Ana IS RESPONDING")
    let status = try device.run("alert", "status").output
    #expect(status.contains("IS RESPONDING"), "\(status)")
    #expect(status.contains("there") && status.contains("here"), "\(status)")
    let json = try device.run("alert", "status", "--json").json()
    #expect(try json.integer("active_count") == 2)
    let messages = try json.objects("other_active").map { try $0.object("alert").string("message") }
    #expect(try messages + [json.object("alert").string("message")] == ["here", "there"])
    #expect(try json.object("delivery").objects("responders").contains { try $0.string("state") == "acknowledged" })
    #expect(try device.run("alert", "deactivate", "--yes").status == 0)
    #expect(watching.end() == 0)
  }

  @Test func `says that the responders are told, whichever of them the status shows then`() throws {
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try raiseOnBoth(telling: receiver)
    let ended = try device.run("alert", "deactivate", "--yes").output
    #expect(ended.contains("RECEIVED by the server") && ended.contains("  Ana: "), "\(ended)")
    #expect(try active() == [])
  }

  @Test func `says that one of them was called in again`() throws {
    try device.run("sos", "--yes", "--no-sync", "--message", "here")
    try #require(try other.run("sos", "--yes", "--message", "there").output.contains("RECEIVED"))
    try #require(try device.run("sync").status == 0)
    try #require(try other.run("sos", "--yes", "--message", "worse").output.contains("RECEIVED"))
    let ended = try device.run("alert", "deactivate", "--yes").output
    #expect(ended.contains("ONE IS NOT ENDED"), "\(ended)")
    #expect(!ended.contains("ANOTHER ALERT"), "\(ended)")
    #expect(try active().count == 1)
  }

  @Test func `fails where the server does not take the end`() throws {
    try #require(try other.run("sos", "--yes").output.contains("RECEIVED"))
    try #require(try device.run("sync").status == 0)
    try #require(try other.run("sos", "--yes", "--message", "worse").output.contains("RECEIVED"))
    let ended = try device.run("alert", "deactivate", "--yes", "--json")
    #expect(ended.status == 69 && ended.error.contains("\"not_ended\""), "\(ended)")
    try #require(try other.run("sos", "--yes", "--message", "still worse").output.contains("RECEIVED"))
    let again = try device.run("alert", "deactivate", "--yes")
    #expect(again.status == 69 && again.output.contains("NOT ENDED"), "\(again)")
    #expect(try active().count == 1)
  }

  @Test func `goes on if it came while the person was asked`() throws {
    try device.run("sos", "--yes", "--message", "here")
    let (terminal, process) = try asked()
    try #require(try other.run("sos", "--yes", "--message", "there").output.contains("RECEIVED"))
    try #require(try device.run("sync").status == 0)
    terminal.type("safe\n")
    try terminal.wait(for: "ENDED")
    try terminal.wait(for: "which you were not asked about")
    #expect(try process.waitForEnd() == .status(0))
    #expect(try active().count == 1)
  }

  @Test func `is not ended by somebody who was asked before it was called in again`() throws {
    try device.run("sos", "--yes", "--message", "here")
    let (terminal, process) = try asked()
    try #require(try other.run("sync").status == 0)
    try #require(try other.run("sos", "--yes", "--message", "worse").output.contains("RECEIVED"))
    try #require(try device.run("sync").status == 0)
    terminal.type("safe\n")
    try terminal.wait(for: "NOT ENDED")
    #expect(try process.waitForEnd() == .status(69))
    #expect(try active().count == 1)
  }

  /// Somebody is asked for the word on the device, and has not typed it.
  private func asked() throws -> (terminal: PseudoTerminal, process: ChildProgram) {
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "alert", "deactivate")
    try terminal.wait(for: "press Enter: ")
    return (terminal, process)
  }

  @Test func `shows all that it ends before it asks`() throws {
    try device.run("sos", "--yes", "--no-sync", "--message", "here")
    try #require(try other.run("sos", "--yes", "--message", "other").output.contains("RECEIVED"))
    try #require(try device.run("sync").status == 0)
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "alert", "deactivate")
    try terminal.wait(for: "2 ALERTS ACTIVE")
    try terminal.wait(for: "press Enter: ")
    terminal.type("safe\n")
    try terminal.wait(for: "ENDED")
    try terminal.wait(for: "2 alerts on this device")
    #expect(try process.waitForEnd() == .status(0))
    #expect(try active() == [])
  }
}
