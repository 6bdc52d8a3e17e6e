import ChildPrograms
import ProgramTesting
import Testing

/// The place of a person who gave none, from gpsd. The alert is saved first, whatever gpsd does.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `The place from gpsd` {
  private static let fix = #"{"class":"TPV","mode":3,"lat":46.5763,"lon":7.9905,"eph":7.2}"# + "\n"

  private func update(_ device: TestDevice) throws -> JSONObject {
    try device.run("alert", "status", "--json").json().object("update")
  }

  @Test func `follows the alert, with its accuracy`() throws {
    let device = try TestDevice()
    let gpsd = try FakeGPSD([#"{"class":"VERSION"}"# + "\n", #"{"class":"TPV","mode":1}"# + "\n", Self.fix])
    let raised = try device.run("alert", "activate", "--yes", "--no-sync", "--gpsd", "127.0.0.1:\(gpsd.port)")
    #expect(raised.status == 0 && raised.output.contains("\nSAVED"), "\(raised)")
    #expect(raised.output.contains("PLACE SAVED from gpsd: 46.5763,7.9905, within 8 m"), "\(raised)")
    let update = try update(device)
    #expect(try update.object("location").members["latitude"] as? Double == 46.5763)
    #expect(update.members["accuracy_m"] as? Double == 7.2)
  }

  @Test func `reaches the responders`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try device.signIn(at: server)
    try device.addResponder(at: receiver)
    let gpsd = try FakeGPSD([Self.fix])
    try device.run("config", "set", "gpsd", "127.0.0.1:\(gpsd.port)")
    let raised = try device.run("alert", "activate", "--yes")
    #expect(raised.output.contains("PLACE SAVED"), "\(raised)")
    var told = try receiver.next()
    if !told.contains("46.5763,7.9905") { told = try receiver.next() }
    #expect(told.contains("46.5763,7.9905") && told.contains("within 8 m"), "\(told)")
    #expect(try device.run("alert", "status", "--json").json().object("sync").integer("pending") == 0)
    server.stop()
  }

  @Test(arguments: ["off", "127.0.0.1:1", "nonsense:port"])
  func `is not waited for where there is none, and never prevents the alert`(setting: String) throws {
    let device = try TestDevice()
    let raised = try device.run("alert", "activate", "--yes", "--no-sync", "--json", "--gpsd", setting)
    #expect(raised.status == 0)
    #expect(try device.run("alert", "status", "--json").json().isNull("update"))
    #expect(raised.error.contains("gpsd must be HOST:PORT") == (setting == "nonsense:port"))
  }

  @Test(arguments: [
    [String(repeating: "x", count: 200_000)], ["\u{0}\u{1}\n", "[[[[[[\n", "{}\n"],
    [#"{"class":"TPV","mode":3,"lat":NaN,"lon":1}"# + "\n"], [#"{"class":"TPV","mode":0,"lat":1,"lon":1}"# + "\n"],
    [#"{"class":"TPV","mode":3,"lat":99,"lon":1}"# + "\n"],
  ])
  func `is none in hostile answers`(lines: [String]) throws {
    let device = try TestDevice()
    let gpsd = try FakeGPSD(lines, closes: true)
    let raised = try device.run("alert", "activate", "--yes", "--no-sync", "--gpsd", "127.0.0.1:\(gpsd.port)")
    #expect(raised.status == 0 && !raised.output.contains("PLACE"), "\(raised)")
    #expect(try device.run("alert", "status", "--json").json().isNull("update"))
  }

  @Test func `is not asked for by a person who gave one`() throws {
    let device = try TestDevice()
    let gpsd = try FakeGPSD([Self.fix])
    let raised = try device.run(
      "alert", "activate", "--yes", "--no-sync", "--location", "1,2", "--gpsd", "127.0.0.1:\(gpsd.port)")
    #expect(raised.status == 0)
    #expect(try device.run("alert", "status", "--json").json().isNull("update"))
  }

  @Test func `is a setting that is checked`() throws {
    let device = try TestDevice()
    #expect(try device.run("config", "set", "gpsd", "nowhere:0").status == 65)
    #expect(try device.run("config", "set", "gpsd", "off").status == 0)
    #expect(try device.run("config", "get", "gpsd").output == "off\n")
  }
}
