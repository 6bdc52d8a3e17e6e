import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import SQLiteKit
import TestSupport
import Testing

/// A call for help is sent and reported, whether or not it or the server's answer can be saved.
@Suite(.blocking, .enabled(if: SmallDisk.isPossible, "needs the right to mount"), .timeLimit(.minutes(5)))
struct `A full disk` {
  private struct Served {
    let disk: SmallDisk
    let device: TestDevice
    let server: RunningServer
    let folder: TemporaryFolder

    /// Signed in, with this many free pages on the disk.
    init(freePages: Int) throws {
      folder = try TemporaryFolder()
      server = try RunningServer(folder)
      device = try TestDevice()
      disk = try #require(SmallDisk(at: device.home, megabytes: 8))
      try device.signIn(at: server)
      try fill(leaving: freePages)
    }

    /// Fills the disk except for this many pages, which are not even left for the program's reserve.
    func fill(leaving pages: Int) throws {
      unlink(device.home + "/reserve")
      try disk.fill(leaving: pages)
    }

    private var runtime: [String: String] {
      let runtime = device.folder.path("runtime")
      mkdir(runtime, 0o700)
      return ["XDG_RUNTIME_DIR": runtime]
    }

    func run(_ arguments: String...) throws -> Outcome { try device.run(arguments, environment: runtime) }

    /// The same, where processes in the background may be started.
    func runCarriedOn(_ arguments: String...) throws -> Outcome {
      try device.run(arguments, environment: runtime.merging(["LIFESIGNAL_BACKGROUND": "on"]) { $1 })
    }

    /// The running background worker.
    func watch() throws -> RunningProgram {
      let environment = device.environment.merging(runtime) { _, new in new }
      let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: environment)
      try worker.line(containing: "Sync running.")
      return worker
    }

    /// Each alert on the server: its message, and whether it is active.
    func alerts() throws -> [String] {
      let connection = try Connection(path: folder.path("server.sqlite"))
      defer { connection.close() }
      return try connection.statement("SELECT message, ended_at FROM alerts").rows { row in
        "\(try row["message", as: String.self]), \(try row.isNull("ended_at") ? "active" : "ended")"
      }
    }
  }

  @Test(arguments: [0, 1, 2, 3, 4, 6, 8, 12, 16, 24]) func `keeps neither a call for help nor its end from the server`(
    freePages: Int
  ) throws {
    let served = try Served(freePages: freePages)
    let raised = try served.run("alert", "activate", "--yes", "--message", "on the ridge")
    #expect(try served.alerts() == ["on the ridge, active"], "\(raised)")
    check(raised, sent: "SENT. The server received your call for help")
    let status = try served.run("alert", "status")
    let words = "accepted      not yet"
    #expect(!status.output.contains(words), "the server has it: \(status)")
    let delivery = try served.run("status", "--json").json().object("delivery")
    #expect(try delivery.isNull("stage") || delivery.string("stage") == "accepted")
    let ended = try served.run("alert", "deactivate", "--yes")
    #expect(try served.alerts() == ["on the ridge, ended"], "\(ended)")
    check(ended, sent: "ENDED. The server received")
  }

  @Test func `that fills while an alert is active is named by the status`() throws {
    let served = try Served(freePages: 0)
    try served.disk.empty()
    try #require(try served.run("alert", "activate", "--yes").output.contains("RECEIVED"))
    #expect(try !served.run("alert", "status").output.contains("may not be able to save"))
    try served.fill(leaving: 0)
    let status = try served.run("alert", "status")
    #expect(status.output.contains("ALERT ACTIVE since"), "\(status)")
    #expect(status.output.contains("This device may not be able to save the server's answers."), "\(status)")
  }

  @Test func `shows an alert that was sent from memory, and saves it when there is room`() throws {
    let served = try Served(freePages: 0)
    #expect(try served.run("alert", "activate", "--yes", "--message", "on the ridge").status == 73)
    let status = try served.run("alert", "status")
    #expect(status.output.hasPrefix("ALERT ACTIVE since"), "\(status)")
    #expect(status.output.contains("saved         NOT on this device"))
    #expect(status.output.contains("by the server"), "the server said that it has it: \(status)")
    let json = try served.run("alert", "status", "--json").json()
    #expect(try json.boolean("active") && !json.boolean("saved"))

    try served.disk.empty()
    let taken = try served.run("alert", "status", "--json").json()
    #expect(try taken.boolean("active") && !taken.keys.contains("saved"))
    #expect(try served.run("sync").status == 0)
    #expect(try served.alerts() == ["on the ridge, active"])
    #expect(try served.run("alert", "status", "--json").json().object("delivery").string("stage") == "accepted")
    #expect(try served.run("alert", "deactivate", "--yes").status == 0)
    #expect(try served.alerts() == ["on the ridge, ended"])
    #expect(try served.run("alert", "history", "--json").jsonLines().count == 1)
  }

  @Test func `warns of an alert in memory at a sign-out`() throws {
    let served = try Served(freePages: 0)
    try #require(try served.run("alert", "activate", "--yes", "--message", "on the ridge").status == 73)
    for pages in [0, 2, 4, 6] {
      try served.disk.empty()
      try served.fill(leaving: pages)
      let refused = try served.run("sign-out")
      #expect(refused.status != 0, "\(pages): \(refused)")
      #expect(try served.run("status").output.contains("+12025550123"))
    }
    #expect(try served.alerts() == ["on the ridge, active"])
    try served.disk.empty()
    #expect(try served.run("alert", "deactivate", "--yes").output.contains("RECEIVED"))
    #expect(try served.run("sign-out").status == 0)
    #expect(try served.alerts() == ["on the ridge, ended"])
  }

  @Test(arguments: [0, 2, 4, 8, 16]) func `calls for help anew after an end that it could not save`(
    freePages: Int
  ) throws {
    let served = try Served(freePages: freePages)
    for message in ["on the ridge", "still there"] {
      check(try served.run("sos", "--yes", "--message", message), sent: "SENT. The server received")
    }
    check(try served.run("alert", "deactivate", "--yes"), sent: "ENDED. The server received")
    try #require(try served.alerts() == ["on the ridge, ended"])
    let status = try served.run("alert", "status", "--json")
    #expect(try !status.json().boolean("active"), "\(status)")

    served.server.stop()
    let raised = try served.run("sos", "--yes", "--message", "again")
    let shown = try served.run("alert", "status", "--json").json()
    #expect(try shown.boolean("active") && shown.object("alert").string("message") == "again", "\(raised)")
    try served.disk.empty()
    try served.server.start()
    #expect(try served.run("sync").status == 0)
    #expect(try served.alerts().sorted() == ["again, active", "on the ridge, ended"])
    #expect(try served.run("alert", "status", "--json").json().object("delivery").string("stage") == "accepted")
  }

  @Test func `sends the alert in memory by a sync, and claims nothing before the server has it`() throws {
    let served = try Served(freePages: 0)
    served.server.stop()
    try #require(try served.run("sos", "--yes", "--message", "on the ridge").status == 73)
    try #require(try served.run("sos", "--yes", "--message", "it is worse").status == 73)
    let offline = try served.run("sync", "--json")
    #expect(offline.status != 0 && offline.error.contains("2 messages"), "\(offline)")
    #expect(try served.run("queue", "list").output == "", "nothing may say that nothing waits")
    #expect(try served.run("doctor").output.contains("2 messages are NOT sent"))
    let status = try served.run("alert", "status")
    #expect(
      status.output.contains("NOT SENT: 2 messages") && status.output.contains("Nothing sends them now"), "\(status)")
    #expect(status.output.contains("message       it is worse"), "\(status)")
    #expect(try served.run("alert", "status", "--json").json().object("sync").integer("pending") == 2)

    try served.server.start()
    let sync = try served.run("sync")
    #expect(sync.output.contains("RECEIVED by the server: 2 messages"), "\(sync)")
    #expect(try served.alerts() == ["on the ridge, active"])
    let known = try served.run("alert", "status")
    #expect(known.output.contains("by the server") && !known.output.contains("NOT SENT"), "\(known)")
    #expect(try !served.run("sync").output.contains("RECEIVED"), "it is not sent once more")
    #expect(try served.run("alert", "deactivate", "--yes").output.contains("ENDED. The server received"))
    #expect(try served.alerts() == ["on the ridge, ended"])
  }

  @Test func `sends an end in memory by a sync`() throws {
    let served = try Served(freePages: 0)
    check(try served.run("sos", "--yes", "--message", "on the ridge"), sent: "SENT. The server received")
    served.server.stop()
    try #require(try served.run("alert", "deactivate", "--yes").status == 73)
    let offline = try served.run("sync")
    #expect(offline.status != 0 && offline.error.contains("NOT SENT: 1 message that could not be saved"), "\(offline)")
    try served.server.start()
    #expect(try served.run("sync").output.contains("RECEIVED by the server: 1 message"))
    #expect(try served.alerts() == ["on the ridge, ended"])
  }

  @Test func `shows a call that was made after an end that did not reach the server`() throws {
    let served = try Served(freePages: 0)
    check(try served.run("sos", "--yes", "--message", "on the ridge"), sent: "SENT. The server received")
    served.server.stop()
    try #require(try served.run("alert", "deactivate", "--yes").status == 73)
    try served.server.start()
    check(try served.run("sos", "--yes", "--message", "again"), sent: "SENT. The server received")
    let status = try served.run("alert", "status")
    #expect(status.output.hasPrefix("ALERT ACTIVE") && status.output.contains("message       again"), "\(status)")
  }

  @Test func `lets the worker send the alert in memory`() throws {
    let served = try Served(freePages: 0)
    let worker = try served.watch()
    served.server.stop()
    try #require(try served.run("sos", "--yes", "--message", "on the ridge").status == 73)
    try served.server.start()
    try worker.line(containing: "RECEIVED by the server: 1 message")
    #expect(try served.alerts() == ["on the ridge, active"])
    #expect(worker.end(by: SIGTERM) == 0)
  }

  @Test func `leaves a call and an end in memory to a process in the background, and says so`() throws {
    let served = try Served(freePages: 0)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try served.disk.empty()
    try served.device.addResponder(at: receiver)
    try #require(try served.run("sync").status == 0)
    try served.fill(leaving: 0)
    served.server.stop()
    let raised = try served.runCarriedOn("sos", "--yes", "--message", "on the ridge")
    #expect(raised.status == 73 && raised.error.contains("NOT saved. Call for help another way now"), "\(raised)")
    #expect(raised.error.contains("It is kept in memory. A process in the background keeps trying."), "\(raised)")
    #expect(!raised.error.contains("lifesignal sync"), "\(raised)")
    try served.server.start()
    #expect(try receiver.next().contains("on the ridge"))

    served.server.stop()
    let ended = try served.runCarriedOn("alert", "deactivate", "--yes")
    #expect(ended.status == 73, "\(ended)")
    #expect(ended.error.contains("The end is kept in memory. A process in the background keeps trying."), "\(ended)")
    try served.server.start()
    #expect(try receiver.next().contains("deactivated"))
    #expect(try served.alerts() == ["on the ridge, ended"])
  }

  private func check(_ outcome: Outcome, sent words: String) {
    #expect([0, 73].contains(outcome.status), "\(outcome)")
    #expect(outcome.output.contains("RECEIVED by the server") || outcome.output.contains(words), "\(outcome)")
    if outcome.status == 73 { #expect(outcome.error.contains("NOT saved"), "\(outcome)") }
    #expect(!outcome.output.contains("NOT SENT"), "\(outcome)")
  }
}
