import ChildPrograms
import Foundation
import LocalStore
import ProgramTesting
import Testing

@testable import DeviceCore

/// The device only has its alert key.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `An expired session` {
  private let device: TestDevice
  private let server: RunningServer
  private let receiver: WebhookReceiver

  init() throws {
    device = try TestDevice()
    server = try RunningServer(device.folder)
    receiver = try WebhookReceiver()
    try device.signIn(at: server)
    try device.addResponder(at: receiver)
    try #require(try device.run("sync").status == 0)
    try device.expireSession()
  }

  @Test func `it keeps neither an alert nor its end from being sent`() throws {
    defer { receiver.stop() }
    let raised = try device.run("alert", "activate", "--yes", "--message", "fell")
    #expect(raised.status == 0)
    #expect(raised.output.contains("RECEIVED by the server"), "\(raised.output)")
    #expect(raised.output.contains("Sign in again"))
    #expect(try receiver.next().contains("fell"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.output.contains("RECEIVED by the server"), "\(ended.output)")
    #expect(try receiver.next().contains("safe now"))
    let status = try device.run("alert", "status").output
    #expect(status.contains("The session has expired. Only alerts are still sent."))
    #expect(!status.contains("Not signed in"))
    server.stop()
  }

  @Test func `sync sends an alert with the alert key, and succeeds if that was all`() throws {
    defer { receiver.stop() }
    try device.run("alert", "activate", "--yes", "--no-sync", "--message", "fell")
    let outcome = try device.run("sync", "--json")
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(try outcome.json().integer("pushed") == 2)
    #expect(try outcome.json().isNull("error"))
    #expect(try JSONObject(outcome.error).string("note").contains("The session has expired"))
    #expect(try receiver.next().contains("fell"))
    server.stop()
  }

  @Test func `sync sends the alert, and says that the rest waits for a sign-in`() throws {
    defer { receiver.stop() }
    try device.run("contacts", "add", "+12025550144", "--name", "Ben", "--responder")
    try device.run("alert", "activate", "--yes", "--no-sync", "--message", "fell")
    let outcome = try device.run("sync")
    #expect(outcome.status == 77)
    #expect(outcome.error.contains("1 contact change waits here and stays safe.\nReason: "))
    #expect(try receiver.next().contains("fell"))
    #expect(try device.run("alert", "status", "--json").json().object("delivery").string("stage") == "accepted")
    server.stop()
  }

  @Test func `signing out ends the alert key on the server`() throws {
    defer { receiver.stop() }
    let store = try device.openStore()
    let session = try #require(try store.session())
    store.close()
    let outcome = try device.run("sign-out")
    #expect(outcome.status == 0, "\(outcome.error)")
    // The key is no longer valid.
    let thief = try TestDevice()
    try thief.run("config", "set", "endpoint", server.endpoint)
    let other = try thief.openStore()
    try other.signIn(session, at: DeviceClock.now())
    other.close()
    try thief.run("alert", "activate", "--yes", "--no-sync")
    #expect(try thief.run("sync", "--json").json().integer("pushed") == 0)
    server.stop()
  }

  @Test(.enabled(if: Unwatched.isPossible)) func `an alert is sent even if the system has no inotify watch left`()
    throws
  {
    defer { receiver.stop() }
    let raised = try device.shell(Unwatched.command("alert activate --yes --message fell"))
    #expect(raised.status == 0)
    #expect(raised.output.contains("RECEIVED by the server"), "\(raised.output)\(raised.error)")
    #expect(try receiver.next().contains("fell"))
    server.stop()
    let ended = try device.shell(Unwatched.command("alert deactivate --yes"))
    #expect(ended.status == 0)
    #expect(ended.output.contains("NOT SENT YET."))
    #expect(ended.output.contains("do NOT know yet that you are safe"))
  }
}

/// A program in a user namespace without free inotify instances (user_namespaces(7)).
enum Unwatched {
  static func command(_ arguments: String) -> String {
    "unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_inotify_instances && exec \"$LIFESIGNAL\" \(arguments)'"
  }

  static let isPossible: Bool = {
    guard let device = try? TestDevice() else { return false }
    return (try? device.shell(command("--version")))?.status == 0
  }()
}
