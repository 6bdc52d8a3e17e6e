import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChildPrograms

@Suite(.blocking) struct `A program that a test runs` {
  /// Runs a shell command. Returns its output and how it ended.
  private func shell(_ line: String) throws -> (output: String, end: ChildProgram.End) {
    let folder = ScratchFolder()
    let path = "\(folder.path)/output"
    writeFile([], path)
    let output = try #require(FileHandle(forWritingAtPath: path))
    let end = try ChildProgram.run("/bin/sh", ["-c", line], output: .file(output))
    return (String(decoding: try #require(readFile(path)), as: UTF8.self), end)
  }

  @Test func `reports how it ended`() throws {
    #expect(try shell("echo so; exit 3") == ("so\n", .status(3)))
    #expect(try shell("kill -TERM $$").end == .signal(SIGTERM))
    #expect(ChildProgram.End.signal(SIGTERM).shellStatus == 143)
    #expect(throws: ChildProgram.Failure.self) { try ChildProgram("/nowhere/no-program") }
  }

  /// A worker, for example, outlives the program that started it.
  @Test func `has ended even if a program that it started still runs`() throws {
    let program = try ChildProgram("/bin/sh", ["-c", "sleep 600 & echo $!; exit 4"])
    #expect(try program.waitForEnd(seconds: 60) == .status(4))
    kill(-program.id, SIGKILL)
  }

  @Test func `is awaited until the timeout, and killed when its value is released`() throws {
    let id: Int32
    do {
      let program = try ChildProgram("/bin/sleep", ["600"])
      #expect(throws: ChildProgram.Failure.self) { try program.waitForEnd(seconds: 0) }
      #expect(program.isRunning)
      id = program.id
    }
    #expect(kill(id, 0) != 0 && errno == ESRCH)
  }

  @Test func `inherits no descriptors and no blocked signals`() throws {
    let ours = open("/dev/null", O_RDONLY)
    defer { close(ours) }
    // Descriptor 3 is the listed folder.
    #expect(try shell("exec ls /proc/self/fd").output == "0\n1\n2\n3\n")
    #expect(try shell("exec grep SigBlk /proc/self/status").output == "SigBlk:\t0000000000000000\n")
  }

  @Test func `has the sanitizer's options in any environment`() {
    let tests = ["TSAN_OPTIONS": "log_path=report", "HOME": "/root"]
    #expect(
      ChildProgram.variables(["PATH": "/bin"], ofTests: tests) == ["PATH": "/bin", "TSAN_OPTIONS": "log_path=report"])
    #expect(ChildProgram.variables(["TSAN_OPTIONS": ""], ofTests: tests) == ["TSAN_OPTIONS": ""])
    #expect(ChildProgram.variables([:], ofTests: [:]).isEmpty)
  }

  @Test func `can be stopped and continued`() throws {
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
