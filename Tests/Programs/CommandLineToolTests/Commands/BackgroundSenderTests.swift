import ChildPrograms
import DeviceCore
import Foundation
import Glibc
import LocalStore
import ProgramTesting
import SystemKit
import Testing

/// The process that carries an alert on when the command that raised it has ended, in whatever way.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `In the background` {
  private let device: TestDevice
  private var home: HomeDirectory { HomeDirectory(path: device.home) }
  private var environment: [String: String] { device.environment.merging(["LIFESIGNAL_BACKGROUND": "on"]) { $1 } }

  init() throws { device = try TestDevice() }

  private func run(_ arguments: String...) throws -> Outcome {
    try device.run(arguments, environment: ["LIFESIGNAL_BACKGROUND": "on"])
  }

  /// A server that has this device's responder, and is stopped.
  private func stoppedServer() throws -> (RunningServer, WebhookReceiver) {
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    try device.signIn(at: server)
    try device.addResponder(at: receiver)
    try #require(try device.run("sync").status == 0)
    server.stop()
    return (server, receiver)
  }

  /// The process; waits for it.
  private func sender(_ place: BackgroundLease.Place = .first) throws -> Int32 {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      if let holder = try BackgroundLease.holder(home, place), holder > 0 { return holder }
      sched_yield()
    }
    return try #require(nil as Int32?, "no process came")
  }

  /// At a moment when it does not hold the store's lock.
  private func freeze(_ process: Int32) throws {
    for _ in 1...100 {
      kill(process, SIGSTOP)
      while !ProcessState.isStopped(process) { sched_yield() }
      let lock = open(home.storeLockPath, O_RDWR | O_CLOEXEC)
      try #require(lock >= 0)
      defer { close(lock) }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { return }
      kill(process, SIGCONT)
      try #require(flock(lock, LOCK_EX) == 0)
    }
    Issue.record("it held the store's lock at each of 100 stops")
  }

  private func waitForEnd(of process: Int32) throws {
    let end = ContinuousClock.now + .seconds(60)
    while kill(process, 0) == 0 {
      try #require(ContinuousClock.now < end, "the process \(process) has not ended")
      sched_yield()
    }
  }

  @Test func `an alert is sent though the command that raised it was killed, and nothing stays when it is over`() throws
  {
    let (server, receiver) = try stoppedServer()
    defer { receiver.stop() }
    let raising = try RunningProgram(
      Programs.lifesignal, ["alert", "activate", "--yes", "--message", "fell"], environment: environment)
    try raising.line(containing: "NOT SENT YET.")
    let process = try sender()
    raising.end(by: SIGKILL)
    try server.start()
    let page = try ResponderPage(webhook: receiver.next())
    #expect(try run("status").output.contains("Worker      running until the alert is over"))
    #expect(try run("status", "--json").json().boolean("background_sender"))

    // It fetches too.
    try page.answer("responding")
    let watching = try RunningProgram(
      Programs.lifesignal, ["alert", "watch", "--no-sync"], environment: environment)
    try watching.line(containing: "Ana")
    #expect(try run("alert", "activate", "--yes", "--message", "again").status == 0)
    #expect(try sender() == process, "one is enough")

    #expect(try run("alert", "deactivate", "--yes").status == 0)
    #expect(watching.end() == 0)
    try waitForEnd(of: process)
    #expect(try BackgroundLease.holder(home) == nil)
    server.stop()
  }

  @Test func `one that stands still keeps no other from being started`() throws {
    let (server, receiver) = try stoppedServer()
    defer { receiver.stop() }
    let first = try RunningProgram(Programs.lifesignal, ["alert", "activate", "--yes"], environment: environment)
    let frozen = try sender()
    first.end(by: SIGKILL)
    try freeze(frozen)
    defer {
      kill(frozen, SIGKILL)
      kill(frozen, SIGCONT)
    }
    let second = try RunningProgram(
      Programs.lifesignal, ["alert", "activate", "--yes", "--message", "worse"], environment: environment)
    try second.line(containing: "NOT SENT YET.")
    let other = try sender(.second)
    second.end(by: SIGKILL)
    try server.start()
    #expect(try receiver.next().contains("worse"))
    #expect(try run("alert", "deactivate", "--yes").status == 0)
    try waitForEnd(of: other)
    server.stop()
  }

  /// It holds the sender's lease and the store's lock: the call cannot be saved in the store, and the process that stands by gets neither.
  @Test func `a call is sent while the one with the lease stands still with the store locked`() throws {
    let (server, receiver) = try stoppedServer()
    defer { receiver.stop() }
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: environment)
    try worker.line(containing: "cannot be reached")
    try freeze(worker.processID)
    defer { worker.end(by: SIGKILL) }
    let lock = open(home.storeLockPath, O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    let raising = try RunningProgram(Programs.lifesignal, ["alert", "activate", "--yes"], environment: environment)
    let process = try sender()
    try raising.line(containing: "SAVED")
    raising.end(by: SIGKILL)
    try server.start()
    #expect(try receiver.next().contains("needs help"))
    flock(lock, LOCK_UN)
    worker.end(by: SIGKILL)
    #expect(try run("alert", "deactivate", "--yes").status == 0)
    try waitForEnd(of: process)
    server.stop()
  }

  @Test func `what is not sent in time is carried on, and the command says so`() throws {
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    let raised = try run("alert", "activate", "--yes")
    #expect(raised.status == 0)
    #expect(raised.output.contains("A process in the background keeps trying."), "\(raised)")
    let process = try sender()
    #expect(getsid(process) == process, "it has a session of its own")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd") == "/")
    kill(process, SIGTERM)
    try waitForEnd(of: process)
    #expect(try run("alert", "status").output.contains("To send it") || run("alert", "status").output.contains("now."))
  }

  @Test func `nothing is started for --no-sync, nor where the environment forbids it`() throws {
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    #expect(try run("alert", "activate", "--yes", "--no-sync").status == 0)
    #expect(try BackgroundLease.holder(home) == nil)
    let raised = try device.run("alert", "activate", "--yes", environment: ["LIFESIGNAL_BACKGROUND": "off"])
    #expect(raised.output.contains("Nothing sends it now.") && raised.output.contains("lifesignal sync"), "\(raised)")
    #expect(try BackgroundLease.holder(home) == nil)
  }

  @Test func `the process ends when its home is removed`() throws {
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    let raising = try RunningProgram(Programs.lifesignal, ["alert", "activate", "--yes"], environment: environment)
    let process = try sender()
    raising.end(by: SIGKILL)
    try removeHome()
    try waitForEnd(of: process)
  }

  /// The process may be writing into it: what appears while it is removed is removed with the next try.
  private func removeHome() throws {
    for _ in 1...1000 {
      do { return try FileManager.default.removeItem(atPath: device.home) } catch { continue }
    }
    try FileManager.default.removeItem(atPath: device.home)
  }

  @Test func `a program that cannot be started is told, with what to do`() {
    let started = BackgroundSender.start(HomeDirectory(path: device.folder.path), program: "/nonexistent/lifesignal")
    #expect(started == .failed("a background process could not be started (No such file or directory)"))
    let unknown = BackgroundSender.start(HomeDirectory(path: device.folder.path), program: nil)
    #expect(unknown == .failed("this program cannot tell where it is installed"))
  }
}
