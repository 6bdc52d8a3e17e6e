import Arguments
import ChildPrograms
import DeviceCore
import Model
import ProgramTesting
import Testing

@testable import CommandLineTool

@Suite(.blocking, .timeLimit(.minutes(5))) struct `News of the active alert` {
  private func deviceWithAlert() throws -> TestDevice {
    let device = try TestDevice()
    try #require(try device.run("alert", "activate", "--yes", "--no-sync", "--message", "fell").status == 0)
    return device
  }

  @Test func `without an alert are sent to nobody, and that is no success`() throws {
    let device = try TestDevice()
    let outcome = try device.run("alert", "update", "--message", "two", "--no-sync")
    #expect(outcome.status == 1)
    #expect(outcome.error.contains("NOT sent: no alert is active") && outcome.error.contains("lifesignal sos"))
    let json = try device.run("alert", "update", "--message", "two", "--json")
    #expect(json.status == 1 && json.output.isEmpty)
    #expect(try json.jsonError().string("code") == "no_active_alert")
  }

  @Test func `are saved and shown`() throws {
    let device = try deviceWithAlert()
    let outcome = try device.run(
      "alert", "update", "--message", "two", "--location", "46.5,7.9", "--accuracy", "8.5", "--battery", "40%",
      "--no-sync", "--json")
    #expect(outcome.status == 0)
    let update = try outcome.json().object("update")
    #expect(try update.string("message") == "two" && update.integer("battery_percent") == 40)
    #expect(update.members["accuracy_m"] as? Double == 8.5)
    let status = try device.run("alert", "status", "--json").json()
    #expect(try status.object("update").object("location").members["latitude"] as? Double == 46.5)
    #expect(try device.run("alert", "status").output.contains("two"))
  }

  @Test func `keep words that are no location in their message`() throws {
    let device = try deviceWithAlert()
    let outcome = try device.run("alert", "update", "--location", "by the river", "--no-sync", "--json")
    #expect(outcome.status == 0 && outcome.error.contains("The location cannot be read"))
    #expect(try outcome.json().object("update").string("message") == "Location: by the river")
  }

  @Test(arguments: [
    (["--accuracy", "x"], "accuracy"), (["--accuracy", "-1"], "accuracy"), (["--battery", "101"], "battery"),
    (["--battery", "half"], "battery"), (["--battery"], "battery"),
  ])
  func `go out with what can be read, and a warning`(arguments: [String], word: String) throws {
    let device = try deviceWithAlert()
    let outcome = try device.run(["alert", "update", "--location", "1,2", "--no-sync", "--json"] + arguments)
    #expect(outcome.status == 0 && outcome.error.contains("WARNING: The \(word)"), "\(outcome)")
    #expect(try outcome.json().object("update").object("location").members["longitude"] as? Double == 2)
  }

  @Test func `are something, or the command line is wrong`() throws {
    #expect(UpdateDetails.of(["--accuracy", "8"]).news.isEmpty)
    // Where this machine has a battery, its level is something.
    guard Battery.percent() == nil else { return }
    let outcome = try deviceWithAlert().run("alert", "update", "--accuracy", "8", "--no-sync")
    #expect(outcome.status == 64 && outcome.error.contains("NOTHING to send"))
  }

  @Test func `have this machine's battery level, unless another is given`() throws {
    #expect(UpdateDetails.of(["--location", "1,2"], battery: 62).news.batteryPercent == 62)
    #expect(UpdateDetails.of(["--battery", "9"], battery: 62).news.batteryPercent == 9)
    #expect(UpdateDetails.of(["--battery", "x"], battery: 62).news.batteryPercent == 62)
  }

  @Test func `reach the responders, and each place is in the track`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try device.signIn(at: server)
    try device.addResponder(at: receiver)
    #expect(try device.run("alert", "activate", "--yes", "--gpsd", "off").status == 0)
    _ = try receiver.next()
    #expect(try device.run("alert", "update", "--location", "46.5,7.9", "--no-sync").status == 0)
    let placed = try device.run("alert", "update", "--location", "46.6,7.9", "--accuracy", "12")
    #expect(placed.output.contains("RECEIVED by the server"), "\(placed)")
    let told = try receiver.next()
    #expect(told.contains("46.6,7.9") && told.contains("within 12 m"), "\(told)")
    let said = try device.run("alert", "update", "in the hut")
    #expect(said.output.contains("RECEIVED by the server") && said.output.contains("Ana: sent by webhook"), "\(said)")
    #expect(try receiver.next().contains("in the hut"))
    server.stop()
  }
}

/// A place behind a call that waits, in an alert that has ended on another device.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `A place behind a call that becomes a new alert` {
  @Test func `is not said to be unused`() throws {
    let device = try TestDevice(), other = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.signIn(at: server)
    try other.signIn(at: server)
    try #require(try device.run("sos", "--yes", "--gpsd", "off").output.contains("RECEIVED"))
    try #require(try other.run("alert", "deactivate", "--yes").output.contains("RECEIVED"))
    try #require(try device.run("alert", "update", "--message", "worse", "--no-sync").status == 0)
    let placed = try device.run("alert", "update", "--location", "46.6,7.9")
    #expect(!placed.output.contains("NOT USED"), "\(placed)")
    #expect(placed.output.contains("NEW alert") && placed.output.contains("RECEIVED by the server"), "\(placed)")
    let status = try device.run("alert", "status", "--json").json()
    #expect(try status.object("alert").string("message") == "worse")
    #expect(try status.object("update").object("location").members["latitude"] as? Double == 46.6)
    #expect(try device.run("queue", "list", "--json").output.isEmpty)
    server.stop()
  }
}

extension UpdateDetails {
  fileprivate static func of(_ words: [String], battery: Int? = nil) -> UpdateDetails {
    let parsed = try? ArgumentParser.parse(
      ["alert", "update"] + words, root: CommandTable.root, globalOptions: GlobalOption.all)
    guard case .run(let invocation)? = parsed else { preconditionFailure("the words are valid") }
    return UpdateDetails(invocation) { battery }
  }
}
