import ChildPrograms
import Foundation
import ProgramTesting
import Testing

/// The battery level follows each alert by itself, once the alert is saved.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `The battery level` {
  private static let fix = #"{"class":"TPV","mode":3,"lat":46.5763,"lon":7.9905,"eph":7.2}"# + "\n"

  private let device: TestDevice

  init() throws {
    device = try TestDevice()
    try FileManager.default.createDirectory(
      atPath: device.folder.path("power/BAT0"), withIntermediateDirectories: true)
    for (name, text) in [("type", "Battery\n"), ("capacity", "62\n")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: device.folder.path("power/BAT0/\(name)")))
    }
  }

  @discardableResult
  private func activate(_ options: String...) throws -> Outcome { try activate(options) }

  private func activate(_ options: [String]) throws -> Outcome {
    try device.run(
      ["alert", "activate", "--yes"] + options,
      environment: ["LIFESIGNAL_POWER_SUPPLY": device.folder.path("power")])
  }

  @Test(arguments: [
    ["--location", "1,2"], ["--gpsd", "off"], ["--gpsd", "127.0.0.1:1"], ["--gpsd", "off", "--drill"],
  ])
  func `follows an alert, and a drill, without a place from gpsd`(options: [String]) throws {
    let raised = try activate(["--no-sync"] + options)
    #expect(raised.status == 0 && raised.output.contains("SAVED"), "\(raised)")
    let update = try device.run("alert", "status", "--json").json().object("update")
    #expect(try update.integer("battery_percent") == 62)
    #expect(update.isNull("message"))
  }

  @Test func `is told once, together with the place where there is one`() throws {
    let gpsd = try FakeGPSD([Self.fix])
    try activate("--no-sync", "--gpsd", "127.0.0.1:\(gpsd.port)")
    let update = try device.run("alert", "status", "--json").json().object("update")
    #expect(try update.integer("battery_percent") == 62)
    #expect(try update.object("location").members["latitude"] as? Double == 46.5763)
    #expect(try device.run("alert", "status", "--json").json().object("sync").integer("pending") == 3)
  }

  @Test func `is told of again by each further press, and not by a drill that is left out`() throws {
    func pending() throws -> Int {
      try device.run("alert", "status", "--json").json().object("sync").integer("pending")
    }
    try activate("--no-sync", "--gpsd", "off")
    #expect(try pending() == 3)
    try activate("--no-sync", "--gpsd", "off", "--drill")
    #expect(try pending() == 3)
    try activate("--no-sync", "--gpsd", "off")
    #expect(try pending() == 5)
  }

  @Test func `is nothing where there is no battery`() throws {
    try device.run("alert", "activate", "--yes", "--no-sync", "--location", "1,2")
    #expect(try device.run("alert", "status", "--json").json().isNull("update"))
  }

  @Test func `reaches the server before the command ends, and sends nobody a second message`() throws {
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try device.signIn(at: server)
    try device.addResponder(at: receiver)
    #expect(try activate("--location", "1,2").status == 0)
    let status = try device.run("alert", "status", "--json").json()
    #expect(try status.object("sync").integer("pending") == 0)
    #expect(try status.object("update").integer("battery_percent") == 62)
    #expect(try receiver.next().contains("needs help"))
    try device.run("alert", "deactivate", "--yes")
    #expect(try receiver.next().contains("safe now"))
    server.stop()
  }
}
