import Foundation
import Glibc
import LifeSignalFeatures
import Testing

@Suite(.serialized) struct `The program on a terminal` {
  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a signal restores the terminal and ends the program as the signal would`(number: Int32) throws {
    let terminal = try ScreenTerminal()
    try terminal.wait(for: "RAISE AN ALERT")
    #expect(!terminal.isAsBefore)
    terminal.signal(number)
    try terminal.wait(for: ScreenTerminal.restoreSequence)
    #expect(try terminal.program.waitForEnd() == .signal(number))
    #expect(terminal.isAsBefore)
  }

  @Test(arguments: [SIGSEGV, SIGABRT, SIGTRAP])
  func `a crash restores the terminal too`(number: Int32) throws {
    let terminal = try ScreenTerminal()
    try terminal.wait(for: "RAISE AN ALERT")
    terminal.signal(number)
    try terminal.wait(for: ScreenTerminal.restoreSequence)
    #expect(try terminal.program.waitForEnd() == .signal(number))
    #expect(terminal.isAsBefore)
  }

  @Test func `four spaces in one piece raise an alert, and q says that it is still active`() async throws {
    let terminal = try ScreenTerminal()
    try terminal.wait(for: "RAISE AN ALERT")
    terminal.type("    ")
    try terminal.wait(for: "ALERT ACTIVE")
    let client = try LifeSignalClient.open(home: terminal.home)
    #expect(try await client.status().isActive)
    terminal.type("q")
    try terminal.wait(for: "Quit while something is not sent?")
    try terminal.wait(for: "Enter")
    terminal.type("\t\r")
    try terminal.wait(for: ScreenTerminal.restoreSequence)
    try terminal.wait(for: "The alert is still active.")
    try terminal.wait(for: "Nothing sends it now. Sign in, then run: lifesignal sync --watch")
    #expect(try terminal.program.waitForEnd() == .status(0))
    #expect(terminal.isAsBefore)
  }

  @Test func `a command that it says to type names the home that it was started with`() throws {
    let home = NSTemporaryDirectory() + "lifesignal screen \(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: home) }
    let terminal = try ScreenTerminal("--home", home)
    try terminal.wait(for: "RAISE AN ALERT")
    terminal.type("    ")
    try terminal.wait(for: "ALERT ACTIVE")
    terminal.signal(SIGTERM)
    try terminal.wait(for: "run: lifesignal --home '\(home)' sync --watch")
    #expect(try terminal.program.waitForEnd() == .signal(SIGTERM))
  }

  @Test func `a save that is under way when a signal arrives is finished first`() async throws {
    let terminal = try ScreenTerminal()
    try terminal.wait(for: "RAISE AN ALERT")
    terminal.type("    ")
    // SAVING while it is saved, then ACTIVE.
    try terminal.wait(for: "V")
    terminal.signal(SIGTERM)
    try terminal.wait(for: ScreenTerminal.restoreSequence)
    #expect(try terminal.program.waitForEnd() == .signal(SIGTERM))
    let client = try LifeSignalClient.open(home: terminal.home)
    #expect(try await client.status().isActive)
  }

  @Test func `a new size is drawn at once`() throws {
    let terminal = try ScreenTerminal()
    try terminal.wait(for: "RAISE AN ALERT")
    terminal.resize(columns: 60, rows: 5)
    try terminal.wait(for: "Terminal too small.")
    terminal.resize(columns: 60, rows: 20)
    try terminal.wait(for: "RAISE AN ALERT")
    terminal.type("q")
    try terminal.wait(for: ScreenTerminal.restoreSequence)
  }

  @Test func `without colour no colour is written, and without UTF-8 only ASCII`() throws {
    let terminal = try ScreenTerminal("--no-color", environment: ["LC_ALL": "C"])
    try terminal.wait(for: "RAISE AN ALERT")
    terminal.type("   ")
    try terminal.wait(for: "####")
    terminal.type("q")
    try terminal.wait(for: ScreenTerminal.restoreSequence)
    #expect(!terminal.shown.contains("[31m"))
    #expect(terminal.shown.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test(arguments: ["dumb", "", "no-such-terminal"])
  func `a terminal that cannot show a screen is refused with an explanation`(kind: String) throws {
    let terminal = try ScreenTerminal(environment: ["TERM": kind])
    try terminal.wait(for: "cannot show the screen")
    try terminal.wait(for: "To raise an alert: lifesignal alert activate")
    #expect(try terminal.program.waitForEnd() == .status(64))
    #expect(terminal.isAsBefore)
  }
}
