import Glibc

/// A signal that one thread sends, once or more, and another waits for.
struct AsyncSignal: Sendable {
  fileprivate final class Pipe: Sendable {
    let ends: (read: Int32, write: Int32)

    init() {
      var ends: [Int32] = [-1, -1]
      _ = Glibc.pipe(&ends)
      self.ends = (ends[0], ends[1])
    }

    deinit {
      close(ends.read)
      close(ends.write)
    }
  }

  struct Sender: Sendable {
    fileprivate let pipe: Pipe

    func send() {
      var byte: UInt8 = 1
      _ = write(pipe.ends.write, &byte, 1)
    }
  }

  private let pipe: Pipe

  static func make() -> (AsyncSignal, Sender) {
    let pipe = Pipe()
    return (AsyncSignal(pipe: pipe), Sender(pipe: pipe))
  }

  /// Readable after a signal.
  var descriptor: Int32 { pipe.ends.read }

  /// Waits for one more signal, or for `milliseconds`. Returns whether it came.
  @discardableResult
  func wait(milliseconds: Int32 = 20_000) -> Bool {
    var poll = pollfd(fd: pipe.ends.read, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return read(pipe.ends.read, &byte, 1) == 1
  }
}
