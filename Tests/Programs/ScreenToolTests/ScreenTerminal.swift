import ChildPrograms
import Foundation
import Glibc
import Testing

/// The built program on a pseudo-terminal.
final class ScreenTerminal {
  static let restoreSequence = "\u{1B}[?1049l"

  private let controller: Int32
  private let terminal: FileHandle
  private let folder: String
  let home: String
  let program: ChildProgram
  private(set) var shown = ""
  private let settingsBefore: [UInt8]

  /// Starts the screen on a terminal of 80×24.
  init(_ arguments: String..., environment: [String: String] = [:]) throws {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(controller >= 0)
    // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
    var unlocked: Int32 = 0, number: Int32 = 0
    try #require(ioctl(controller, 0x4004_5431, &unlocked) == 0)
    try #require(ioctl(controller, 0x8004_5430, &number) == 0)
    let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(descriptor >= 0)
    terminal = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(controller, UInt(TIOCSWINSZ), &size) == 0)
    settingsBefore = Self.settings(of: controller)
    folder = NSTemporaryDirectory() + "lifesignal-screen-" + UUID().uuidString.lowercased()
    home = folder + "/home"
    let variables = [
      "LIFESIGNAL_HOME": home, "PATH": "/usr/bin:/bin", "HOME": folder, "TERM": "xterm-256color",
      "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
      // A process in the background would outlive the test.
      "LIFESIGNAL_BACKGROUND": "off",
    ].merging(environment) { _, new in new }
    let ours = ChildProgram.Stream.file(terminal)
    program = try ChildProgram(
      Self.path, arguments, environment: variables, input: ours, output: ours, error: ours)
  }

  deinit {
    program.signal(SIGKILL)
    close(controller)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// All terminal settings are as before.
  var isAsBefore: Bool { Self.settings(of: controller) == settingsBefore }

  func type(_ text: String) { type(bytes: Array(text.utf8)) }

  func type(bytes: [UInt8]) { _ = write(controller, bytes, bytes.count) }

  /// From now on the terminal accepts no output.
  func block() { tcflow(terminal.fileDescriptor, TCOOFF) }

  func signal(_ number: Int32) { program.signal(number) }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
    // Without its own session the program gets no signals from the terminal.
    signal(SIGWINCH)
  }

  /// Reads until `text` appears after the text of the last wait; fails after a timeout, even if other output continues.
  func wait(for text: String) throws {
    var waiting = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
    let end = ContinuousClock.now.advanced(by: .seconds(ChildProgram.timeoutSeconds))
    while !shown.contains(text) {
      let left = max(0, Int32((end - .now) / .milliseconds(1)))
      try #require(poll(&waiting, 1, left) == 1, "waited for “\(text)” and saw “\(shown)”")
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(controller, &buffer, buffer.count)
      try #require(count > 0, "waited for “\(text)” and saw “\(shown)”")
      shown += String(decoding: buffer[..<count], as: UTF8.self)
    }
    if let range = shown.range(of: text) { shown = String(shown[range.upperBound...]) }
  }

  private static func settings(of descriptor: Int32) -> [UInt8] {
    var settings = termios()
    _ = tcgetattr(descriptor, &settings)
    return withUnsafeBytes(of: &settings) { Array($0) }
  }

  /// The build's folder: beside the test bundle.
  private static var path: String {
    let folders = [
      URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent(),
      URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent(),
      Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
    ]
    let candidates = folders.map { $0.appendingPathComponent("lifesignal-screen").path }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
  }
}
