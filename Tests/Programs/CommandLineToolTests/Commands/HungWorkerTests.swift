import ChildPrograms
import DeviceCore
import Foundation
import Glibc
import LocalStore
import ProgramTesting
import Testing

/// The process that talks to the server hangs while it holds the sender's lease: it is stopped from a terminal, frozen with its
/// container, or blocked by a terminal that accepts no output.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `While the background worker hangs` {
  private func startWorker(_ device: TestDevice, _ server: RunningServer) throws -> RunningProgram {
    try device.signIn(at: server)
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: device.environment)
    try worker.line(containing: "connected")
    return worker
  }

  /// Stops the worker at a moment when it does not hold the store's lock, like an idle worker.
  private func stop(_ worker: RunningProgram, _ device: TestDevice) throws {
    for _ in 1...100 {
      try worker.stop()
      let lock = open(device.home + "/store.lock", O_RDWR | O_CLOEXEC)
      try #require(lock >= 0, "the store's lock cannot be opened: errno \(errno)")
      defer { close(lock) }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { return }
      worker.send(SIGCONT)
      // On a busy machine it would be stopped again before it has run.
      try #require(flock(lock, LOCK_EX) == 0)
    }
    Issue.record("the worker held the store's lock at each of 100 stops")
  }

  /// Sends SIGHUP, which the worker answers with a line of output, and returns when the worker waits again.
  private func reload(_ worker: ChildProgram, _ home: HomeDirectory, until deadline: ContinuousClock.Instant) throws {
    func stamp() -> Int64 { SenderStamp.read(home)?.monotonicMilliseconds ?? 0 }
    func wait(for condition: () -> Bool) throws {
      while !condition() {
        try #require(ContinuousClock.now < deadline && worker.isRunning, "the worker handles no signals")
        sched_yield()
      }
    }
    let last = stamp()
    // The worker stamps before each wait. The stamp has milliseconds, so the next one must be in a later one.
    try wait { DeviceClock.monotonicMilliseconds() > last }
    worker.signal(SIGHUP)
    try wait { stamp() > last }
  }

  @Test func `an alert and its end are sent without it, and no text claims that it keeps trying`() throws {
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

  @Test func `doctor and status report it, and that it works again`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let worker = try startWorker(device, server)
    defer { worker.end(by: SIGKILL) }
    #expect(try device.run("status").output.contains("Worker      running"))
    #expect(try device.run("doctor").output.contains("the background worker is running"))
    try stop(worker, device)
    let words = "the sync process (pid \(worker.processID)) has not moved for"
    let doctor = try device.run("doctor").output
    #expect(doctor.contains(words) && doctor.contains("kill -KILL \(worker.processID)"), "\(doctor)")
    #expect(try device.run("status").output.contains("nothing is sent now. To send an alert: lifesignal sync"))
    #expect(try device.run("status").output.contains("NOT MOVING: \(words)"))
    let status = try device.run("status", "--json").json()
    #expect(try !status.boolean("worker_running"))
    #expect(try status.object("worker_standing_still").integer("pid") == Int(worker.processID))
    let sync = try device.run("contacts", "add", "+12025550143", "--name", "Ana")
    #expect(sync.output.contains("Not sent: \(words)"))
    worker.send(SIGCONT)
    #expect(try device.run("status").output.contains("Worker      running"))
  }

  @Test func `sync sends the alert, and reports the unsent rest`() throws {
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

  @Test func `no responder is shown as told, and nothing as in order, while no answer arrives`() throws {
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
    #expect(raised.output.contains("is not shown here while the sync process is frozen"), "\(raised.output)")
    let sync = try device.run("sync")
    #expect(sync.status == 75 && sync.error.contains("nothing comes in"), "\(sync)")
    let status = try device.run("alert", "status").output
    #expect(status.contains("Ana           not known here: the sync process is frozen"), "\(status)")
  }

  @Test func `no retry is promised if no worker runs`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.signIn(at: server)
    server.stop()
    try device.run("alert", "activate", "--yes")
    let status = try device.run("alert", "status").output
    #expect(
      !status.contains("next try") && status.contains("1 alert is waiting to be sent.\nNothing sends it now."),
      "\(status)")
  }

  /// The worker's output is a pipe that nobody reads.
  @Test func `a worker whose output is not read continues to send`() throws {
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
    let deadline = ContinuousClock.now + .seconds(60)
    // Before the worker handles signals, a SIGHUP would kill it.
    while try !device.run("status").output.contains("Worker      running") {
      try #require(worker.isRunning && ContinuousClock.now < deadline, "the worker does not run")
    }
    // These are more lines than the pipe and the queue hold together.
    let home = HomeDirectory(path: device.home)
    for _ in 0..<400 { try reload(worker, home, until: deadline) }
    var unread: Int32 = 0
    #expect(ioctl(ends[0], UInt(FIONREAD), &unread) == 0 && unread > 3072, "the pipe is full")
    let raised = try device.run("alert", "activate", "--yes")
    #expect(raised.output.contains("RECEIVED by the server"), "\(raised.output)")
    #expect(!raised.output.contains("has not moved"), "the worker sends it")
    #expect(try device.run("status").output.contains("Worker      running"))
    worker.signal(SIGTERM)
    #expect(throws: Never.self, "a signal still ends it") { try worker.waitForEnd(seconds: 10) }
  }
}
