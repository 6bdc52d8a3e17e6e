import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

/// The process that talks to the server is frozen while it holds the sender's lease: stopped from a terminal, frozen with its
/// container, or blocked by a terminal that takes no output.
@Suite(.timeLimit(.minutes(5))) struct `While the background worker stands still` {
  private func startWorker(_ device: TestDevice, _ server: RunningServer) throws -> RunningProgram {
    try device.signIn(at: server)
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: device.environment)
    try worker.line(containing: "connected")
    return worker
  }

  /// Stops it while it does not hold the store's lock, as an idle worker does not.
  private func stop(_ worker: RunningProgram, _ device: TestDevice) throws {
    while true {
      try worker.stop()
      let lock = open(device.home + "/store.lock", O_RDWR | O_CLOEXEC)
      let isFree = flock(lock, LOCK_EX | LOCK_NB) == 0
      close(lock)
      if isFree { return }
      worker.send(SIGCONT)
    }
  }

  @Test func `an alert and its end are sent without it, and nobody is told that it keeps trying`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let worker = try startWorker(device, server)
    try stop(worker, device)
    defer { worker.end(by: SIGKILL) }
    let raised = try device.run("alert", "activate", "--yes")
    #expect(raised.status == 0)
    #expect(raised.output.contains("RECEIVED by the server"), "\(raised.output)")
    #expect(raised.output.contains("The sync process (pid \(worker.processID)) has not moved for"))
    #expect(!raised.output.contains("keeps trying"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.output.contains("RECEIVED by the server"), "\(ended.output)")

    worker.send(SIGCONT)
    #expect(try device.run("status").output.contains("Worker      running"))
    #expect(try device.run("sync").status == 0)
    let history = try device.run("alert", "history", "--json").jsonLines()
    #expect(history.count == 1)
  }

  @Test func `doctor and status say so, and that it moves again`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let worker = try startWorker(device, server)
    defer { worker.end(by: SIGKILL) }
    #expect(try device.run("status").output.contains("Worker      running"))
    #expect(try device.run("doctor").output.contains("the background worker is running"))
    try stop(worker, device)
    let words = "the sync process (pid \(worker.processID)) has not moved for"
    #expect(try device.run("doctor").output.contains(words))
    #expect(try device.run("status").output.contains("NOT MOVING: \(words)"))
    let status = try device.run("status", "--json").json()
    #expect(try !status.boolean("worker_running"))
    #expect(try status.object("worker_standing_still").integer("pid") == Int(worker.processID))
    let sync = try device.run("contacts", "add", "+12025550143", "--name", "Ana")
    #expect(sync.output.contains("Not sent: \(words)"))
    worker.send(SIGCONT)
    #expect(try device.run("status").output.contains("Worker      running"))
  }

  @Test func `sync sends the alert, and says what of the rest is not sent`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let worker = try startWorker(device, server)
    defer { worker.end(by: SIGKILL) }
    try stop(worker, device)
    _ = try device.run("contacts", "add", "+12025550143", "--name", "Ana")
    _ = try device.run("alert", "activate", "--yes", "--no-sync")
    let sync = try device.run("sync")
    #expect(sync.status == 75)
    #expect(sync.error.contains("has not moved for"), "\(sync.error)")
    #expect(try device.run("alert", "status", "--json").json().object("delivery").string("stage") == "accepted")
  }

  @Test func `nobody is said to be told, and nothing to be in order, while nothing comes in`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let worker = try startWorker(device, server)
    defer { worker.end(by: SIGKILL) }
    try #require(
      try device.run(
        "contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel", "http://127.0.0.1:9/"
      )
      .status == 0)
    try #require(try device.run("sync").status == 0)
    try stop(worker, device)
    let raised = try device.run("alert", "activate", "--yes")
    #expect(raised.output.contains("RECEIVED by the server"), "\(raised.output)")
    #expect(raised.output.contains("is not shown here while the sync process stands still"), "\(raised.output)")
    let sync = try device.run("sync")
    #expect(sync.status == 75 && sync.error.contains("nothing comes in"), "\(sync)")
    let status = try device.run("alert", "status").output
    #expect(status.contains("Ana           not known here: the sync process stands still"), "\(status)")
  }

  @Test func `no next try is promised where nothing runs`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.signIn(at: server)
    server.stop()
    try device.run("alert", "activate", "--yes")
    let status = try device.run("alert", "status").output
    #expect(!status.contains("next try") && status.contains("Nothing sends them now."), "\(status)")
  }

  /// Its output is a pipe that nobody reads.
  @Test func `a worker whose output nobody takes goes on sending`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.signIn(at: server)
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    // The minimum size of a pipe.
    _ = fcntl(ends[1], 1031, 4096)
    defer { for end in ends { close(end) } }
    let worker = try ChildProgram(
      Programs.lifesignal, ["--json", "sync", "--watch"], environment: device.environment, output: .descriptor(ends[1]))
    // Until it handles signals, one would kill it.
    while try !device.run("status").output.contains("Worker      running") { try #require(worker.isRunning) }
    // More lines than the pipe and the queue hold together.
    for _ in 0..<400 { worker.signal(SIGHUP); usleep(2000) }
    let raised = try device.run("alert", "activate", "--yes")
    #expect(raised.output.contains("RECEIVED by the server"), "\(raised.output)")
    #expect(!raised.output.contains("has not moved"), "it is the worker that sends")
    #expect(try device.run("status").output.contains("Worker      running"))
    worker.signal(SIGTERM)
    #expect(throws: Never.self, "a signal ends it all the same") { try worker.waitForEnd(seconds: 10) }
  }
}
