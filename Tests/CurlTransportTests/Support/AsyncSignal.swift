import Glibc

/// Something that one thread waits for and another tells, once or more often.
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

  /// Readable once it was told.
  var descriptor: Int32 { pipe.ends.read }

  /// Waits until it was told once more.
  func wait() {
    var byte: UInt8 = 0
    _ = read(pipe.ends.read, &byte, 1)
  }
}
