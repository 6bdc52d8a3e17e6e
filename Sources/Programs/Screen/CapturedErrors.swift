import Glibc

nonisolated(unsafe) private var capturedDescriptor: Int32 = -1
nonisolated(unsafe) private var originalDescriptor: Int32 = -1

/// Keeps what is written to standard error away from the screen, and shows its end when the screen is gone.
enum CapturedErrors {
  /// How much of it is shown.
  private static let shownBytes = 4096

  /// From now on standard error is a file without a name, unless it is no terminal: then it goes where it was sent.
  static func start() {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((folder + "/lifesignal-screen.XXXXXX").utf8CString)
    var file = mkstemp(&template)
    if file >= 0 { _ = unlink(template) } else { file = open("/dev/null", O_WRONLY | O_CLOEXEC) }
    guard file >= 0 else { return }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    // Written at its end, and read from anywhere.
    _ = fcntl(file, F_SETFL, O_APPEND)
    originalDescriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    capturedDescriptor = file
    _ = dup2(file, STDERR_FILENO)
  }

  /// Standard error is the terminal again, and has the end of what was kept away from it.
  static func finish() {
    guard originalDescriptor >= 0 else { return }
    copy()
    _ = dup2(originalDescriptor, STDERR_FILENO)
    (originalDescriptor, capturedDescriptor) = (-1, -1)
  }

  /// As `finish`, with only calls that signal-safety(7) allows.
  static func copyAfterCrash() { finish() }

  private static func copy() {
    let end = lseek(capturedDescriptor, 0, SEEK_END)
    guard end > 0 else { return }
    var place = max(0, end - off_t(shownBytes))
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { buffer in
      while place < end {
        let count = pread(capturedDescriptor, buffer.baseAddress, buffer.count, place)
        guard count > 0, write(originalDescriptor, buffer.baseAddress, count) == count else { return }
        place += off_t(count)
      }
    }
  }
}
