import ChildPrograms
import Foundation
import Glibc
import LocalStore
import Model
import ProgramTesting
import SQLiteKit
import Testing
import Wire

@testable import DeviceCore

/// A home on a disk that is mounted read-only. Needs the right to mount; without it the tests are skipped.
private final class ReadOnlyHome {
  private let path: String

  init?(_ path: String) {
    self.path = path
    guard mount(path, path, "", UInt(MS_BIND), nil) == 0 else { return nil }
    guard mount("", path, "", UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0 else {
      umount2(path, Int32(MNT_DETACH))
      return nil
    }
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  static var isPossible: Bool {
    guard let folder = try? TemporaryFolder() else { return false }
    return ReadOnlyHome(folder.path("")) != nil
  }
}

/// Help is called for from memory; the text and the exit status distinguish sent from saved.
@Suite(.blocking, .enabled(if: ReadOnlyHome.isPossible, "nobody here may mount")) struct `A home that cannot be written`
{
  private let server: RunningServer
  private let device: TestDevice
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    server = try RunningServer(folder)
    device = try TestDevice()
    try device.signIn(at: server)
  }

  private func frozen() throws -> ReadOnlyHome { try #require(ReadOnlyHome(device.home)) }

  /// Each alert on the server: its message, and whether it is active.
  private func onServer() throws -> [(message: String?, isActive: Bool)] {
    let connection = try Connection(path: folder.path("server.sqlite"))
    defer { connection.close() }
    return try connection.statement("SELECT message, ended_at FROM alerts").rows { row in
      (message: try row["message"], isActive: try row.isNull("ended_at"))
    }
  }

  @Test func `sends the alert, says that help was called, and exits with not saved`() throws {
    let home = try frozen()
    let outcome = try device.run("alert", "activate", "--yes", "--message", "on the ridge", environment: runtime)
    #expect(outcome.status == 73)
    #expect(outcome.output.hasPrefix("SENT. The server received your call for help"), "\(outcome)")
    #expect(outcome.error.contains("NOT saved on this device.\nReason: "))
    #expect(!outcome.error.contains("another way"), "help was called: \(outcome.error)")
    let alerts = try onServer()
    #expect(alerts.map(\.message) == ["on the ridge"])
    #expect(alerts.map(\.isActive) == [true])
    withExtendedLifetime(home) {}
  }

  @Test func `makes one alert of two presses, which it can end`() throws {
    let home = try frozen()
    let first = try device.run("alert", "activate", "--yes", "--json", environment: runtime)
    let second = try device.run(
      "alert", "activate", "--yes", "--json", "--message", "in the hut now", environment: runtime)
    #expect(try first.json().object("alert").string("id") == second.json().object("alert").string("id"), "\(second)")
    #expect(try second.json().boolean("already_active"))
    #expect(try !second.json().boolean("saved"))
    #expect(try onServer().map(\.isActive) == [true])
    let other = try TestDevice()
    try other.signIn(at: server)
    try #require(try other.run("sync").status == 0)
    #expect(
      try other.run("alert", "status", "--json").json().object("update").string("message") == "in the hut now")
    let ended = try device.run("alert", "deactivate", "--yes", environment: runtime)
    #expect(ended.status == 73)
    #expect(ended.output.hasPrefix("ENDED. The server received"), "\(ended)")
    #expect(try onServer().map(\.isActive) == [false])
    withExtendedLifetime(home) {}
  }

  @Test func `calls again even if the first call was ended on another device meanwhile`() throws {
    let other = try TestDevice()
    try other.signIn(at: server)
    let home = try frozen()
    try #require(try device.run("sos", "--yes", environment: runtime).output.hasPrefix("SENT."))
    try #require(try other.run("sync").status == 0)
    try #require(try other.run("alert", "deactivate", "--yes").output.contains("RECEIVED by the server"))
    try #require(try onServer().map(\.isActive) == [false])
    let again = try device.run("sos", "--yes", environment: runtime)
    #expect(again.output.hasPrefix("SENT."), "\(again)")
    #expect(try onServer().map(\.isActive) == [false, true])
    #expect(try device.run("alert", "status", "--json", environment: runtime).json().boolean("active"))
    let ended = try device.run("alert", "deactivate", "--yes", environment: runtime)
    #expect(ended.output.hasPrefix("ENDED. The server received"), "\(ended)")
    #expect(try onServer().map(\.isActive) == [false, false], "the second call is known here, and ended")
    withExtendedLifetime(home) {}
  }

  @Test func `sends a message for responders as a call for help, and a place not at all`() throws {
    try #require(try device.run("sos", "--yes", environment: runtime).output.contains("RECEIVED by the server"))
    let home = try frozen()
    let told = try device.run("alert", "update", "--message", "in the hut", environment: runtime)
    #expect(told.status == 73 && told.output.contains("SENT. The server received"), "\(told)")
    #expect(try onServer().map(\.isActive) == [true], "it is no alert of its own")
    let place = try device.run("alert", "update", "--location", "46.5,7.9", environment: runtime)
    #expect(place.status == 73 && place.error.contains("NOT saved"), "\(place)")
    let other = try TestDevice()
    try other.signIn(at: server)
    try #require(try other.run("sync").status == 0)
    #expect(try other.run("alert", "status", "--json").json().object("update").string("message") == "in the hut")
    withExtendedLifetime(home) {}
  }

  @Test func `does not end an alert for which another device has called again`() throws {
    let other = try TestDevice()
    try other.signIn(at: server)
    let home = try frozen()
    try #require(try device.run("sos", "--yes").output.contains("SENT."))
    try #require(try other.run("sync").status == 0)
    try #require(try other.run("sos", "--yes", "--message", "still here").output.contains("RECEIVED"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.status == 73 && ended.error.contains("called for help again"), "\(ended)")
    #expect(try onServer().map(\.isActive) == [true])
    withExtendedLifetime(home) {}
  }

  @Test func `sends no drill during a real alert`() throws {
    let home = try frozen()
    try #require(try device.run("sos", "--yes").output.contains("SENT."))
    let drill = try device.run("alert", "activate", "--yes", "--drill")
    #expect(drill.status == 73 && drill.output.isEmpty, "\(drill)")
    #expect(drill.error.contains("a real alert is active"), "\(drill)")
    #expect(!drill.error.contains("for help"), "a drill asks nobody to call for help")
    #expect(try onServer().count == 1)
    withExtendedLifetime(home) {}
  }

  @Test func `shows the alert, and ends it under another name of the home and with another environment`() throws {
    let home = try frozen()
    try #require(try device.run("sos", "--yes", environment: runtime).output.contains("SENT."))
    let link = device.folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: device.home)
    let elsewhere = ["LIFESIGNAL_HOME": link]
    let status = try device.run("alert", "status", environment: elsewhere)
    #expect(status.output.hasPrefix("ALERT ACTIVE") && status.output.contains("NOT on this device"), "\(status)")
    #expect(try device.run("alert", "deactivate", "--yes", environment: elsewhere).output.hasPrefix("ENDED."))
    #expect(try onServer().map(\.isActive) == [false])
    withExtendedLifetime(home) {}
  }

  @Test func `ends an alert that was saved before`() throws {
    try #require(try device.run("alert", "activate", "--yes").status == 0)
    let home = try frozen()
    let ended = try device.run("alert", "deactivate", "--yes", environment: runtime)
    #expect(ended.status == 73)
    #expect(ended.output.hasPrefix("ENDED."), "\(ended)")
    #expect(try onServer().map(\.isActive) == [false])
    withExtendedLifetime(home) {}
  }

  @Test func `says that no active alert is known if there is none to end`() throws {
    let home = try frozen()
    let ended = try device.run("alert", "deactivate", "--yes", environment: runtime)
    #expect(
      ended.status == 73 && ended.error.contains("NOTHING ended: this device knows of no active alert."), "\(ended)")
    withExtendedLifetime(home) {}
  }

  @Test func `says that nothing was sent if no server answers`() throws {
    try #require(try device.run("config", "set", "endpoint", "http://127.0.0.1:9").status == 0)
    let home = try frozen()
    let outcome = try device.run(
      "alert", "activate", "--yes", environment: runtime.merging(["LIFESIGNAL_BACKGROUND": "on"]) { $1 })
    #expect(outcome.status == 73)
    #expect(outcome.error.contains("NOT saved. Call for help another way now"))
    #expect(outcome.error.contains("It could NOT be sent either"))
    #expect(outcome.error.contains("It is kept in memory. To send it: lifesignal sync"), "nothing can stand by here")
    #expect(outcome.output.isEmpty)
    withExtendedLifetime(home) {}
  }

  @Test func `keeps the end of an unsent alert, and raises none later`() throws {
    let other = try TestDevice()
    try other.signIn(at: server)
    server.stop()
    var home: ReadOnlyHome? = try frozen()
    let raised = try device.run("sos", "--yes", environment: runtime)
    try #require(raised.status == 73 && raised.error.contains("kept in memory"), "\(raised)")
    let ended = try device.run("alert", "deactivate", "--yes", environment: runtime)
    #expect(ended.status == 73 && ended.error.contains("do NOT know that you are safe"), "\(ended)")
    #expect(ended.error.contains("The end is kept in memory"), "\(ended)")
    #expect(try !device.run("alert", "status", environment: runtime).output.contains("ACTIVE"))
    withExtendedLifetime(home) {}
    home = nil

    let status = try device.run("alert", "status", environment: runtime)
    #expect(status.output.hasPrefix("No alert is active."), "\(status)")
    #expect(status.output.contains("do NOT know yet that you are safe"), "\(status)")
    try server.start()
    #expect(try device.run("sync", environment: runtime).status == 0)
    #expect(try onServer().map(\.isActive) == [false])
    #expect(try !device.run("alert", "status", environment: runtime).output.contains("NOT know"))
  }

  @Test func `resends an end that did not reach the server`() throws {
    let home = try frozen()
    try #require(try device.run("sos", "--yes", environment: runtime).output.hasPrefix("SENT."))
    server.stop()
    try #require(try device.run("alert", "deactivate", "--yes", environment: runtime).status == 73)
    try server.start()
    let again = try device.run("alert", "deactivate", environment: runtime)
    #expect(again.output.hasPrefix("ENDED. The server received"), "nothing is to be asked: \(again)")
    #expect(try onServer().map(\.isActive) == [false])
    let new = try device.run("sos", "--yes", "--message", "again", environment: runtime)
    #expect(new.output.hasPrefix("SENT."), "\(new)")
    #expect(try onServer().map(\.message) == [nil, "again"])
    withExtendedLifetime(home) {}
  }

  @Test func `does not end a newer call unasked with an end that did not reach the server`() throws {
    let home = try frozen()
    try #require(try device.run("sos", "--yes", environment: runtime).output.hasPrefix("SENT."))
    server.stop()
    try #require(try device.run("alert", "deactivate", "--yes", environment: runtime).status == 73)
    try server.start()
    try #require(try device.run("sos", "--yes", "--message", "again", environment: runtime).output.hasPrefix("SENT."))
    let unasked = try device.run("alert", "deactivate", environment: runtime)
    #expect(unasked.status == 64 && unasked.error.contains("still ACTIVE"), "\(unasked)")
    #expect(try device.run("alert", "deactivate", "--yes", environment: runtime).output.hasPrefix("ENDED."))
    #expect(try onServer().map(\.isActive) == [false, false])
    withExtendedLifetime(home) {}
  }

  @Test func `sends a call that did not reach the server by a sync, and shows it`() throws {
    let home = try frozen()
    server.stop()
    try #require(try device.run("sos", "--yes", "--message", "on the ridge", environment: runtime).status == 73)
    let status = try device.run("status", environment: runtime)
    #expect(
      status.output.hasPrefix("ALERT ACTIVE") && status.output.contains("NOT SENT: 1 message")
        && status.output.contains("Nothing sends it now"), "\(status)")
    try server.start()
    let sync = try device.run("sync", environment: runtime)
    #expect(sync.output.contains("RECEIVED by the server: 1 message"), "\(sync)")
    #expect(try onServer().map(\.message) == ["on the ridge"])
    #expect(try !device.run("alert", "status", environment: runtime).output.contains("NOT SENT"))
    withExtendedLifetime(home) {}
  }

  @Test func `keeps a further call that did not reach the server`() throws {
    var home: ReadOnlyHome? = try frozen()
    try #require(try device.run("sos", "--yes", environment: runtime).output.hasPrefix("SENT."))
    server.stop()
    let again = try device.run("sos", "--yes", "--message", "it is worse", environment: runtime)
    #expect(again.status == 73 && again.error.contains("It is kept in memory"), "\(again)")
    withExtendedLifetime(home) {}
    home = nil
    try server.start()
    #expect(try device.run("sync", environment: runtime).status == 0)
    let other = try TestDevice()
    try other.signIn(at: server)
    try #require(try other.run("sync").status == 0)
    #expect(try onServer().map(\.isActive) == [true])
    #expect(try other.run("alert", "status", "--json").json().object("update").string("message") == "it is worse")
  }

  @Test func `says how else to answer somebody who needs help`() throws {
    let time = DeviceClock.now().wall
    var alert = InboxAlert(
      id: InboxID(versionSevenAt: time, random: (1, 1)), alertID: AlertID(versionSevenAt: time, random: (1, 2)),
      phone: "+12025550143", name: "Ben", startedAt: time, endedAt: nil, isDrill: false)
    alert.pageURL = "https://example.org/a/b"
    let store = try device.openStore()
    let batch = try store.nextBatch(BatchSelection(lane: .routine, maximumItems: 1, maximumBytes: 10_000))
    _ = try store.apply(
      SyncResponse(
        results: [], changes: [.inbox(alert.id, alert)], cursor: "c", hasMore: false, epoch: "one", serverTime: time),
      to: batch, at: DeviceClock.now())
    store.close()
    let home = try frozen()
    for words in [[], ["Ben"], ["Nobody"]] {
      let outcome = try device.run(["respond"] + words, environment: runtime)
      #expect(outcome.status == 73 && outcome.error.contains("NOT saved: "), "\(outcome)")
      #expect(outcome.error.contains("Your answer was NOT sent. Give it another way:"), "\(outcome)")
      #expect(outcome.error.contains("Ben: call +12025550143\n  or answer on https://example.org/a/b"), "\(outcome)")
    }
    withExtendedLifetime(home) {}
  }

  private var runtime: [String: String] {
    let path = device.folder.path("runtime")
    mkdir(path, 0o700)
    return ["XDG_RUNTIME_DIR": path]
  }
}
