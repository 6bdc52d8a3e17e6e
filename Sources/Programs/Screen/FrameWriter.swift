import Dispatch
import Glibc

/// Writes frames to the terminal, on its own queue: a terminal that accepts no output, such as one behind a stalled SSH
/// connection, must block neither the keys nor the end of the program.
@MainActor final class FrameWriter {
  private let queue = DispatchQueue(label: "terminal output")
  /// The file that ncurses draws to.
  private let file: Int32
  private(set) var isWriting = false

  /// Takes the file that ncurses draws to. Each write reads the whole file and empties it.
  init(file: Int32) { self.file = file }

  /// Writes the file's contents and then `more`, and calls `whenDone` when the terminal has accepted them.
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

  /// Writes the file's contents and then `more`, and waits until the terminal has accepted them. After the timeout it
  /// discards the rest.
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

/// Writes the bytes to the terminal. It stops at an error, when the terminal is gone.
private func writeAll(_ bytes: [UInt8]) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}
