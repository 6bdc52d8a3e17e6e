import ChildPrograms
import Foundation
import Glibc
import Testing

@Suite struct `A program that a test runs` {
  /// Runs a line of shell, and gives what it wrote and how it ended.
  private func shell(_ line: String) throws -> (output: String, end: ChildProgram.End) {
    let output = Pipe()
    let program = try ChildProgram("/bin/sh", ["-c", line], output: .file(output.fileHandleForWriting))
    try output.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (text, try program.waitForEnd())
  }

  @Test func `says how it ended`() throws {
    #expect(try shell("echo so; exit 3") == ("so\n", .status(3)))
    #expect(try shell("kill -TERM $$").end == .signal(SIGTERM))
    #expect(ChildProgram.End.signal(SIGTERM).shellStatus == 143)
    #expect(throws: ChildProgram.Failure.self) { try ChildProgram("/nowhere/no-program") }
  }

  /// It may be a worker's, which outlives whoever started it.
  @Test func `has ended although what it started goes on`() throws {
    let program = try ChildProgram("/bin/sh", ["-c", "sleep 600 & echo $!; exit 4"])
    #expect(try program.waitForEnd(seconds: 60) == .status(4))
    kill(-program.id, SIGKILL)
  }

  @Test func `is waited for no longer than is said, and killed with its value`() throws {
    let id: Int32
    do {
      let program = try ChildProgram("/bin/sleep", ["600"])
      #expect(throws: ChildProgram.Failure.self) { try program.waitForEnd(seconds: 0) }
      #expect(program.isRunning)
      id = program.id
    }
    #expect(kill(id, 0) != 0 && errno == ESRCH)
  }

  @Test func `has nothing of the tests open, and no signal blocked`() throws {
    let ours = open("/dev/null", O_RDONLY)
    defer { close(ours) }
    // Its own folder is open while it is listed.
    #expect(try shell("exec ls /proc/self/fd").output == "0\n1\n2\n3\n")
    #expect(try shell("exec grep SigBlk /proc/self/status").output == "SigBlk:\t0000000000000000\n")
  }

  @Test func `can be stopped, and goes on`() throws {
    let program = try ChildProgram("/bin/sleep", ["600"])
    for _ in 0..<2 {
      program.signal(SIGSTOP)
      try program.waitUntilStopped()
      program.signal(SIGCONT)
    }
    program.signal(SIGTERM)
    #expect(try program.waitForEnd() == .signal(SIGTERM))
  }
}
