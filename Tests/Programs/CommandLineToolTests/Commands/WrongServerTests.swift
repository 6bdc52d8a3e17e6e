import ChildPrograms
import ProgramTesting
import Testing

/// Another server answers for a while, as after a wrong DNS answer: it knows neither the account nor the device.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `A wrong server` {
  private let device: TestDevice
  private let right: RunningServer
  private let wrong: RunningServer
  private let elsewhere: TestDevice

  init() throws {
    device = try TestDevice()
    elsewhere = try TestDevice()
    right = try RunningServer(device.folder)
    wrong = try RunningServer(elsewhere.folder)
    try device.signIn(at: right)
  }

  private func use(_ server: RunningServer) throws {
    try #require(try device.run("config", "set", "endpoint", server.endpoint).status == 0)
  }

  @Test func `ends no session, and an alert is tried on`() throws {
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try device.addResponder(at: receiver)
    try use(wrong)
    #expect(try device.run("sync").status == 77)
    let raised = try device.run("alert", "activate", "--yes", "--message", "fell")
    #expect(raised.status == 0 && raised.output.contains("NOT SENT YET."), "\(raised)")
    #expect(raised.output.contains("It may be the wrong server."))
    let status = try device.run("alert", "status").output
    #expect(status.contains("The server does not know this device."), "\(status)")
    #expect(status.contains("Nothing sends them now.") && !status.contains("Not signed in"))

    try use(right)
    let sent = try device.run("sync", "--json")
    #expect(sent.status == 0, "\(sent)")
    #expect(try receiver.next().contains("fell"))
    let known = try device.run("status")
    #expect(known.output.contains("ALERT ACTIVE") && !known.output.contains("expired"), "\(known)")
    right.stop()
    wrong.stop()
  }

  @Test func `is passed over where the second endpoint is the right one`() throws {
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try device.addResponder(at: receiver)
    try #require(try device.run("sync").status == 0)
    try use(wrong)
    try #require(try device.run("config", "set", "second_endpoint", right.endpoint).status == 0)
    let raised = try device.run("alert", "activate", "--yes", "--message", "fell")
    #expect(raised.status == 0 && raised.output.contains("RECEIVED by the server"), "\(raised)")
    #expect(try receiver.next().contains("fell"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.output.contains("RECEIVED by the server"), "\(ended)")
    right.stop()
    wrong.stop()
  }
}
