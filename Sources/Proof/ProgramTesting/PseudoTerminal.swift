package import ChildPrograms
import Foundation
import Glibc
import Testing

/// A pseudo-terminal controlled by a test.
package final class PseudoTerminal {
  private let controller: Int32
  private let terminal: FileHandle
  package private(set) var shown = ""

  package init() throws {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(controller >= 0)
    // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
    var unlocked: Int32 = 0
    try #require(ioctl(controller, 0x4004_5431, &unlocked) == 0)
    var number: Int32 = 0
    try #require(ioctl(controller, 0x8004_5430, &number) == 0)
    let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(descriptor >= 0)
    terminal = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit { close(controller) }

  /// Starts the command line of `device` on this terminal.
  package func start(
    _ device: TestDevice, program: String = Programs.lifesignal, _ arguments: String...
  ) throws -> ChildProgram {
    let ours = ChildProgram.Stream.file(terminal)
    return try ChildProgram(
      program, arguments, environment: device.environment.merging(["TERM": "xterm"]) { _, new in new }, input: ours,
      output: ours, error: ours)
  }

  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(controller, bytes, bytes.count)
  }

  /// Reads until `text` appears after the text of the last wait; fails after ten seconds.
  package func wait(for text: String) throws {
    var waiting = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
    while !shown.contains(text) {
      try #require(poll(&waiting, 1, 10_000) == 1, "waited for “\(text)” and saw “\(shown)”")
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(controller, &buffer, buffer.count)
      try #require(count > 0, "waited for “\(text)” and saw “\(shown)”")
      shown += String(decoding: buffer[..<count], as: UTF8.self)
    }
    if let range = shown.range(of: text) { shown = String(shown[range.upperBound...]) }
  }

  /// Whether lines are edited and keys echoed, as in a shell.
  package var isAsBefore: Bool {
    var settings = termios()
    tcgetattr(controller, &settings)
    return settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ICANON | ECHO | ISIG)
  }
}
