import Glibc

nonisolated(unsafe) private var capturedDescriptor: Int32 = -1
nonisolated(unsafe) private var originalDescriptor: Int32 = -1

/// Keeps output on standard error off the screen, and prints its end after the screen has closed.
enum CapturedErrors {
  /// The number of bytes that are printed.
  private static let shownBytes = 4096

  /// Redirects standard error to an unnamed file, unless it is already redirected away from the terminal.
  static func start() {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((folder + "/lifesignal-screen.XXXXXX").utf8CString)
    var file = mkstemp(&template)
    if file >= 0 { _ = unlink(template) } else { file = open("/dev/null", O_WRONLY | O_CLOEXEC) }
    guard file >= 0 else { return }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    // `copy` moves the file's offset, and writers must still append.
    _ = fcntl(file, F_SETFL, O_APPEND)
    originalDescriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    capturedDescriptor = file
    _ = dup2(file, STDERR_FILENO)
  }

  /// Restores standard error, and prints the end of the captured output to it.
  static func finish() {
    guard originalDescriptor >= 0 else { return }
    copy()
    _ = dup2(originalDescriptor, STDERR_FILENO)
    (originalDescriptor, capturedDescriptor) = (-1, -1)
  }

  /// Does the same as `finish`, which uses only calls that signal-safety(7) allows.
  static func copyAfterCrash() { finish() }

  private static func copy() {
    let end = lseek(capturedDescriptor, 0, SEEK_END)
    guard end > 0 else { return }
    var offset = max(0, end - off_t(shownBytes))
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { buffer in
      while offset < end {
        let count = pread(capturedDescriptor, buffer.baseAddress, buffer.count, offset)
        guard count > 0, write(originalDescriptor, buffer.baseAddress, count) == count else { return }
        offset += off_t(count)
      }
    }
  }
}
