import Foundation
import Glibc
import LifeSignalFeatures
import Testing

@Suite(.serialized) struct `The terminal's own features` {
  private func screen() throws -> ScreenTerminal {
    let terminal = try ScreenTerminal()
    try terminal.wait(for: "RAISE AN ALERT")
    return terminal
  }

  @Test func `the keys that stop and start the output do nothing`() throws {
    let terminal = try screen()
    terminal.type("\u{13}   ")
    try terminal.wait(for: "3 of 4")
    terminal.type("q")
    try terminal.wait(for: ScreenTerminal.restoreSequence)
  }

  @Test func `pasted text is no press, and bracketed paste is turned on and off`() throws {
    let terminal = try ScreenTerminal()
    try terminal.wait(for: "[?2004h")
    terminal.type("\u{1B}[200~q       s\u{1B}[201~")
    terminal.type("   ")
    try terminal.wait(for: "3 of 4")
    terminal.type("q")
    try terminal.wait(for: "[?2004l")
  }

  @Test func `an invalid byte does not swallow a character`() throws {
    let terminal = try screen()
    terminal.type(bytes: [0xFF, 0xE9, 0x20, 0xC3, 0x20, 0x20])
    try terminal.wait(for: "3 of 4")
    terminal.type("q")
    try terminal.wait(for: ScreenTerminal.restoreSequence)
  }

  @Test(.timeLimit(.minutes(5))) func `a terminal that accepts no output blocks neither the alert nor the end`()
    async throws
  {
    let terminal = try screen()
    let client = try LifeSignalClient.open(home: terminal.home)
    terminal.block()
    terminal.type("    ")
    for await status in client.statuses() where status.isActive { break }
    terminal.resize(columns: 70, rows: 20)
    terminal.signal(SIGTERM)
    #expect(try terminal.program.waitForEnd(seconds: 10) == .signal(SIGTERM))
    #expect(terminal.isAsBefore)
  }

  @Test(.timeLimit(.minutes(5))) func `while it is stopped it does not keep others from sending`() async throws {
    let terminal = try screen()
    let client = try LifeSignalClient.open(home: terminal.home)
    // Nothing signals its start.
    while try await !client.isWorkerRunning() {
      try #require(terminal.program.isRunning)
      await Task.yield()
    }
    terminal.signal(SIGTSTP)
    try terminal.wait(for: ScreenTerminal.restoreSequence)
    try terminal.program.waitUntilStopped()
    #expect(try await !client.isWorkerRunning())
    #expect(terminal.isAsBefore)
    terminal.signal(SIGCONT)
    try terminal.wait(for: "RAISE AN ALERT")
    terminal.type("   ")
    try terminal.wait(for: "3 of 4")
    terminal.type("q")
    try terminal.wait(for: ScreenTerminal.restoreSequence)
  }
}
