import ChildPrograms
import Foundation
import LocalStore
import ProgramTesting
import Testing
import Wire

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

  /// A sync cannot send it, so “first sync” would lead back here.
  @Test func `what keeps it from being signed out is sent after a new sign-in`() throws {
    defer { receiver.stop() }
    try device.run("contacts", "add", "+12025550144", "--name", "Ben")
    for command in [["sign-out"], ["sign-in", "+12025550199"]] {
      let outcome = try device.run(command)
      #expect(outcome.status == 75 && !outcome.error.contains("First: "), "\(outcome)")
      #expect(outcome.error.contains("To send it, sign in again:\n  lifesignal sign-in +1"), "\(outcome)")
      #expect(!outcome.error.contains("sign-in +12025550199"), "not the number that did not work: \(outcome)")
      #expect(outcome.error.contains("lifesignal sign-out --discard-pending"), "\(outcome)")
    }
    #expect(try device.run("sign-out", "--discard-pending").status == 0)
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

@Suite(.blocking) struct `A change that the server refused` {
  /// A sync does not send it again, so “first sync” would lead back here.
  @Test func `keeps nobody signed in for a sync`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    try device.run("contacts", "add", "+12025550144", "--name", "Ben")
    let store = try device.openStore()
    let batch = try store.nextBatch(BatchSelection(lane: .routine, maximumItems: 10, maximumBytes: 10_000))
    let refusals = batch.mutations.map {
      ItemResult(id: $0.id.description, status: .rejected, code: "invalid_channel", message: "no")
    }
    let answer = SyncResponse(
      results: refusals, changes: [], cursor: "c", hasMore: false, epoch: "one", serverTime: DeviceClock.now().wall)
    _ = try store.apply(answer, to: batch, at: DeviceClock.now())
    store.close()
    let outcome = try device.run("sign-out")
    #expect(outcome.status == 75 && !outcome.error.contains("First: "), "\(outcome)")
    #expect(outcome.error.contains("The server refused it.") && outcome.error.contains("queue list"), "\(outcome)")
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
