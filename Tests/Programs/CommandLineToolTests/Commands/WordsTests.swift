import ChildPrograms
import Foundation
import LocalStore
import ProgramTesting
import Testing

@testable import DeviceCore

/// The texts for a person in trouble are true.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `The texts of the commands` {
  private static let nowhere = "http://127.0.0.1:1"

  @Test func `a sync without a server prints complete sentences`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: Self.nowhere)
    try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--responder")
    #expect(
      try device.run("sync").error
        == "lifesignal: NOT synced. 1 contact change waits here and stays safe.\n"
        + "Reason: the server cannot be reached.\nTry again later.\n")
    try device.run("alert", "activate", "--yes", "--no-sync")
    #expect(
      try device.run("sync").error
        == "lifesignal: NOT synced. 1 alert and 1 contact change wait here and stay safe.\n"
        + "Reason: the server cannot be reached.\nTry again later.\n")
  }

  @Test func `an unreachable server is named once at sign-in`() throws {
    let device = try TestDevice()
    try device.run("config", "set", "endpoint", Self.nowhere)
    let error = try device.run("sign-in", "+12025550123").error
    #expect(error.components(separatedBy: "cannot be reached").count == 2, "\(error)")
    #expect(error.hasSuffix(".\nTry again later.\n"))
  }

  @Test func `a contact is sent now, later, or after a sign-in, and the text says which`() throws {
    let device = try TestDevice()
    let words = ["contacts", "add", "+12025550143", "--name", "Ana", "--responder"]
    #expect(try device.run(words).output.contains("when you have signed in"))
    try device.signInLocally(endpoint: Self.nowhere)
    #expect(try device.run(words).output.contains("with the next alert, or by: lifesignal sync"))
    try device.run("alert", "activate", "--yes", "--no-sync")
    #expect(try device.run(words).output.contains("Tell it now: lifesignal sync"))
    try device.run("alert", "deactivate", "--yes", "--no-sync")
    let lease = try #require(try SenderLease.acquire(HomeDirectory(path: device.home)))
    #expect(try device.run(words).output.contains("Sending it now."))
    lease.release()
    try device.run("sync")
    let busy = try #require(try SenderLease.acquire(HomeDirectory(path: device.home)))
    let output = try device.run(words).output
    #expect(output.contains("as soon as the server can be reached"))
    busy.release()
  }

  @Test func `responders without receipts are not told yet`() throws {
    let device = try TestDevice()
    try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--responder")
    try device.run("alert", "activate", "--yes", "--no-sync")
    let status = try device.run("alert", "status").output
    #expect(status.contains("accepted      not yet\n"))
    #expect(status.contains("Ana           not told yet\n"))
  }

  @Test func `an end that was not sent says that nobody knows of it`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: Self.nowhere)
    try device.run("alert", "activate", "--yes", "--no-sync")
    let silent = try device.run("alert", "deactivate", "--yes", "--no-sync").output
    #expect(silent.contains("Your responders do NOT know yet that you are safe"))
    try device.run("alert", "activate", "--yes", "--no-sync")
    try device.run("config", "set", "endpoint", "")
    let nowhere = try device.run("alert", "deactivate", "--yes").output
    #expect(nowhere.contains("do NOT know yet that you are safe.\nNo server is set."))
  }

  @Test func `an already active alert shows since when, and whether the server has it`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.signIn(at: server)
    try device.run("alert", "activate", "--yes", "--no-sync")
    let saved = try device.run("alert", "activate", "--yes", "--no-sync").output
    #expect(saved.firstMatch(of: /ALREADY ACTIVE since \d\d:\d\d:\d\d/) != nil)
    #expect(saved.contains("The server has NOT received it yet."))
    try device.run("sync")
    // The first call was received, not this one.
    let again = try device.run("alert", "activate", "--yes", "--no-sync").output
    #expect(again.contains("The server has NOT received it yet."))
    #expect(try device.run("alert", "activate", "--yes").output.contains("RECEIVED by the server"))
    server.stop()
  }

  @Test func `an alert without a server never says that it is being sent`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: Self.nowhere)
    try device.run("config", "set", "endpoint", "")
    let output = try device.run("alert", "activate", "--yes").output
    #expect(output.contains("NOT SENT: no server is set."))
    #expect(!output.contains("Sending it now"))
  }

  static let errors: [([String], Int32, String)] = [
    (["alert", "activate", "--nonsense"], 64, "usage"),
    (["alert", "activate"], 64, "confirmation_needed"),
    (["alert", "history", "--limit", "0"], 65, "invalid_number"),
    (["contacts", "remove", "Nobody"], 65, "not_found"),
    (["queue", "retry", "01975000-0000-7000-8000-000000000001"], 65, "not_found"),
    (["--home", "/proc/none", "alert", "activate", "--yes"], 73, "cannot_open"),
    (["--home", "/proc/none", "contacts", "list"], 73, "cannot_open"),
    (["sync"], 75, "offline"),
    (["sign-in", "+12025550123"], 75, "unreachable"),
    (["sign-out"], 75, "queue_not_empty"),
  ]

  @Test(arguments: errors) func `an error with --json is one object on standard error, whatever its kind`(
    arguments: [String], status: Int32, code: String
  ) throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: Self.nowhere)
    try device.run("contacts", "add", "+12025550143", "--name", "Ana")
    let outcome = try device.run(["--json"] + arguments)
    #expect(outcome.status == status)
    #expect(outcome.error.split(separator: "\n").count == 1)
    let error = try outcome.jsonError()
    #expect(error.keys == ["code", "message"])
    #expect(try error.string("code") == code, "\(outcome.error)")
  }

  @Test func `an output error is an object too`() throws {
    let device = try TestDevice()
    let outcome = try device.shell("\"$LIFESIGNAL\" config list --json > /dev/full")
    #expect(outcome.status == 74)
    #expect(try outcome.jsonError().string("code") == "output_failed")
  }
}
