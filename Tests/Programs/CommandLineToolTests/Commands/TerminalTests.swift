import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import TestSupport
import Testing

@Suite(.blocking, .timeLimit(.minutes(5))) struct `At a terminal` {
  @Test func `four presses raise an alert, with a bar that fills`() throws {
    let device = try TestDevice()
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "alert", "activate", "--no-sync")
    try terminal.wait(for: "Press any key 4 times")
    for percent in ["25 %", "50 %", "75 %", "100 %"] {
      terminal.type(" ")
      try terminal.wait(for: percent)
    }
    try terminal.wait(for: "SAVED")
    #expect(try process.waitForEnd() == .status(0))
    #expect(terminal.isAsBefore)
    #expect(try device.run("alert", "status", "--json").json().boolean("active"))
  }

  @Test(arguments: ["q", "\u{1B}", "\u{03}"]) func `q, Escape and Ctrl-C leave without raising`(key: String) throws {
    let device = try TestDevice()
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "alert", "activate")
    try terminal.wait(for: "0 %")
    terminal.type("   ")
    try terminal.wait(for: "75 %")
    terminal.type(key)
    try terminal.wait(for: "Not raised.")
    #expect(try process.waitForEnd() == .status(1))
    #expect(terminal.isAsBefore)
    #expect(try !device.run("alert", "status", "--json").json().boolean("active"))
  }

  @Test func `a signal restores the terminal, and nothing is raised`() throws {
    let device = try TestDevice()
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "alert", "activate")
    try terminal.wait(for: "0 %")
    #expect(!terminal.isAsBefore)
    process.signal(SIGTERM)
    #expect(try process.waitForEnd() == .signal(SIGTERM))
    #expect(terminal.isAsBefore)
    #expect(try !device.run("alert", "status", "--json").json().boolean("active"))
  }

  @Test func `an alert is ended by the word safe alone`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync")
    for (word, status) in [("no", 1), ("\u{04}", 1), ("Safe", 0)] as [(String, Int32)] {
      let terminal = try PseudoTerminal()
      let process = try terminal.start(device, "alert", "deactivate", "--no-sync")
      try terminal.wait(for: "press Enter: ")
      terminal.type(word == "\u{04}" ? word : word + "\n")
      #expect(try process.waitForEnd() == .status(status), "\(word)")
      #expect(try device.run("alert", "status", "--json").json().boolean("active") == (status != 0))
    }
  }

  @Test func `an already active alert is reported without a question`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync")
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, "alert", "activate", "--no-sync")
    try terminal.wait(for: "ALREADY ACTIVE")
    #expect(try process.waitForEnd() == .status(0))
  }

  @Test func `the screen is a separate program, and its absence is reported with advice`() throws {
    let device = try TestDevice()
    let alone = device.folder.path("lifesignal")
    // Copied by a separate process: a child that another test starts meanwhile would inherit the descriptor for
    // writing, and a file that is open for writing cannot be executed.
    try #require(try ChildProgram.run("/bin/cp", [Programs.lifesignal, alone]) == .status(0))
    let terminal = try PseudoTerminal()
    let process = try terminal.start(device, program: alone, "screen")
    try terminal.wait(for: "NO SCREEN: the program is missing: ")
    try terminal.wait(for: "Without it: lifesignal sos")
    #expect(try process.waitForEnd() == .status(64))
  }

  /// It needs the right to mount.
  @Test(.enabled(if: SmallDisk.isPossible, "needs the right to mount"))
  func `the screen is found beside this program even if /proc is not mounted`() throws {
    let device = try TestDevice()
    let alone = device.folder.path("lifesignal")
    try #require(try ChildProgram.run("/bin/cp", [Programs.lifesignal, alone]) == .status(0))
    let terminal = try PseudoTerminal()
    let process = try terminal.start(
      device, program: "/bin/sh", "-c",
      "exec unshare -m sh -c 'mount -t tmpfs none /proc && exec \"$0\" screen' \(alone)")
    try terminal.wait(for: "NO SCREEN: the program is missing: \(alone)-screen")
    #expect(try process.waitForEnd() == .status(64))
  }

  @Test func `colour is used only on terminals, and can be turned off`() throws {
    let device = try TestDevice()
    let colourful = try PseudoTerminal()
    let raised = try colourful.start(device, "alert", "activate", "--yes", "--no-sync")
    #expect(try raised.waitForEnd() == .status(0))
    try colourful.wait(for: "\u{1B}[1;32mSAVED")
    let plain = try PseudoTerminal()
    let again = try plain.start(device, "alert", "activate", "--yes", "--no-sync", "--no-color")
    #expect(try again.waitForEnd() == .status(0))
    try plain.wait(for: "ALREADY ACTIVE since")
    #expect(!plain.shown.contains("\u{1B}"))
  }
}
