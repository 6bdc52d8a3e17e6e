import Dispatch
import Glibc

/// Writes what is drawn to the terminal, on a queue of its own: a terminal that takes nothing, as of a stopped connection,
/// must stop neither the keys nor the end of the program.
@MainActor final class FrameWriter {
  private let queue = DispatchQueue(label: "terminal output")
  /// What is drawn comes from there.
  private let file: Int32
  private(set) var isWriting = false

  /// `file` is read from its beginning and emptied each time.
  init(file: Int32) { self.file = file }

  /// Has the file's contents and `more` written; `whenDone` is called when the terminal has taken them.
  func write(behind more: String, whenDone: @escaping @MainActor () -> Void) {
    let bytes = take() + Array(more.utf8)
    isWriting = true
    queue.async {
      writeAll(bytes)
      DispatchQueue.main.async { [self] in
        isWriting = false
        whenDone()
      }
    }
  }

  /// Writes the file's contents with `more` behind them, and waits until the terminal has taken everything, at most so long.
  /// Where it has not, what it was to show is dropped.
  func finish(_ more: String, withinMilliseconds: Int) {
    let bytes = take() + Array(more.utf8)
    let isDone = DispatchSemaphore(value: 0)
    queue.async {
      writeAll(bytes)
      isDone.signal()
    }
    if isDone.wait(timeout: .now() + .milliseconds(withinMilliseconds)) == .success { return }
    _ = tcflush(STDOUT_FILENO, TCOFLUSH)
    _ = isDone.wait(timeout: .now() + .milliseconds(50))
  }

  private func take() -> [UInt8] {
    let count = Int(max(0, lseek(file, 0, SEEK_END)))
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
      taken = max(0, pread(file, buffer.baseAddress, count, 0))
    }
    _ = ftruncate(file, 0)
    _ = lseek(file, 0, SEEK_SET)
    return bytes
  }
}

/// As far as there is a terminal.
private func writeAll(_ bytes: [UInt8]) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}
