import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

/// `alert watch`, with a responder who answers on their page.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `Following the active alert` {
  private func raise(_ device: TestDevice, _ server: RunningServer, _ receiver: WebhookReceiver) throws -> ResponderPage
  {
    try device.signIn(at: server)
    try device.addResponder(at: receiver)
    try #require(try device.run("alert", "activate", "--yes", "--gpsd", "off").status == 0)
    return try ResponderPage(webhook: receiver.next())
  }

  private func watch(_ device: TestDevice, _ options: String...) throws -> RunningProgram {
    try RunningProgram(Programs.lifesignal, ["alert", "watch"] + options, environment: device.environment)
  }

  @Test func `shows who is responding as soon as they say so, and ends with the alert`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    let page = try raise(device, server, receiver)
    let watching = try watch(device)
    try watching.line(containing: "ALERT ACTIVE since")
    try watching.line(containing: "Following the alert.")
    try page.answer("responding")
    try watching.line(containing: "Ana IS RESPONDING")
    try page.answer("cannot")
    try watching.line(containing: "they said that they can't come")
    #expect(try device.run("alert", "deactivate", "--yes").status == 0)
    try watching.line(containing: "The alert has ended.")
    #expect(watching.end() == 0)
    server.stop()
  }

  @Test func `shows it too where another process is in touch with the server`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    let page = try raise(device, server, receiver)
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: device.environment)
    try worker.line(containing: "Sync running")
    let watching = try watch(device, "--no-sync", "--json")
    let first = try JSONObject(watching.line(containing: "\"event\":\"status\""))
    #expect(try first.boolean("active") && first.object("delivery").string("stage") == "accepted")
    try page.answer("responding")
    let answer = try JSONObject(watching.line(containing: "\"acknowledged\""))
    #expect(try answer.string("event") == "receipt")
    #expect(try answer.object("receipt").string("contact_name") == "Ana")
    watching.send(SIGINT)
    #expect(watching.end() == 1)
    worker.end(by: SIGTERM)
    server.stop()
  }

  @Test func `left by Ctrl-C says that the alert is still active`() throws {
    let device = try TestDevice()
    try #require(try device.run("alert", "activate", "--yes", "--no-sync").status == 0)
    let watching = try watch(device)
    try watching.line(containing: "Following the alert.")
    watching.send(SIGINT)
    try watching.line(containing: "The alert is still ACTIVE.")
    #expect(watching.end() == 1)
  }

  @Test func `the background worker tells of what came just before it was ended`() throws {
    let device = try TestDevice()
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: device.environment)
    try worker.line(containing: "Sync running")
    try #require(try device.run("alert", "activate", "--yes", "--no-sync").status == 0)
    worker.send(SIGTERM)
    try worker.line(containing: " is active")
    #expect(worker.end() == 0)
  }

  @Test func `without one there is nothing to follow`() throws {
    let outcome = try TestDevice().run("alert", "watch")
    #expect(outcome.status == 1 && outcome.output.contains("No alert is active."))
    let json = try TestDevice().run("alert", "watch", "--json")
    #expect(try json.status == 1 && !json.json().boolean("active"))
  }
}
