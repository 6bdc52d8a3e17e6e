import Glibc
import SystemKit

/// A signal that one thread sends, once or more, and another waits for.
struct AsyncSignal: Sendable {
  fileprivate final class Pipe: Sendable {
    let ends: DescriptorPipe

    init() {
      guard let ends = DescriptorPipe() else { fatalError("no descriptor is left: errno \(errno)") }
      self.ends = ends
    }
  }

  struct Sender: Sendable {
    fileprivate let pipe: Pipe

    func send() {
      var byte: UInt8 = 1
      _ = write(pipe.ends.writeEnd.number, &byte, 1)
    }
  }

  private let pipe: Pipe

  static func make() -> (AsyncSignal, Sender) {
    let pipe = Pipe()
    return (AsyncSignal(pipe: pipe), Sender(pipe: pipe))
  }

  /// Readable after a signal.
  var descriptor: Int32 { pipe.ends.readEnd.number }

  /// Waits for one more signal, or for `milliseconds`. Returns whether it came.
  @discardableResult
  func wait(milliseconds: Int32 = 20_000) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
    return !pipe.ends.readEnd.read(upTo: 1).isEmpty
  }
}
