import ChildPrograms
import Foundation
import Glibc
import LocalStore
import ProgramTesting
import Testing

/// The process that carries an alert on when the screen has ended, in whatever way.
@Suite(.blocking, .serialized, .timeLimit(.minutes(5))) struct `When the screen is gone` {
  private let device: TestDevice

  init() throws { device = try TestDevice() }

  private func screen() throws -> ScreenTerminal {
    let terminal = try ScreenTerminal(
      environment: device.environment.merging(["LIFESIGNAL_BACKGROUND": "on"]) { $1 })
    try terminal.wait(for: "RAISE AN ALERT")
    return terminal
  }

  /// The process; waits for it.
  private func sender() throws -> Int32 {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      if let holder = try BackgroundLease.holder(HomeDirectory(path: device.home)), holder > 0 { return holder }
      sched_yield()
    }
    return try #require(nil as Int32?, "no process came")
  }

  private func waitForEnd(of process: Int32) throws {
    let end = ContinuousClock.now + .seconds(60)
    while kill(process, 0) == 0 {
      try #require(ContinuousClock.now < end, "the process \(process) has not ended")
      sched_yield()
    }
  }

  @Test func `an alert that was raised in it is sent though it was killed`() throws {
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try device.signIn(at: server)
    try device.addResponder(at: receiver)
    try #require(try device.run("sync").status == 0)
    server.stop()
    let terminal = try screen()
    terminal.type("    ")
    try terminal.wait(for: "ALERT ACTIVE")
    let process = try sender()
    terminal.signal(SIGKILL)
    #expect(try terminal.program.waitForEnd() == .signal(SIGKILL))
    try server.start()
    #expect(try receiver.next().contains("Ana") || !receiver.heads.isEmpty)
    #expect(try device.run("alert", "deactivate", "--yes").status == 0)
    try waitForEnd(of: process)
    server.stop()
  }

  @Test func `one that is raised as the terminal is closed is carried on too`() throws {
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    let terminal = try screen()
    terminal.type("    ")
    // SAVING while it is saved, then ACTIVE.
    try terminal.wait(for: "V")
    terminal.signal(SIGHUP)
    #expect(try terminal.program.waitForEnd() == .signal(SIGHUP))
    let process = try sender()
    kill(process, SIGTERM)
    try waitForEnd(of: process)
  }

  @Test func `q says that a process in the background keeps trying`() throws {
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    let terminal = try screen()
    terminal.type("    ")
    try terminal.wait(for: "ALERT ACTIVE")
    let process = try sender()
    terminal.type("q")
    try terminal.wait(for: "Quit while something is not sent?")
    try terminal.wait(for: "Enter")
    terminal.type("\t\r")
    try terminal.wait(for: ScreenTerminal.restoreSequence)
    try terminal.wait(for: "A process in the background keeps trying.")
    #expect(try terminal.program.waitForEnd() == .status(0))
    #expect(kill(process, 0) == 0)
    kill(process, SIGTERM)
    try waitForEnd(of: process)
  }
}
