import Glibc
import SystemKit

/// The terminal on standard input in raw mode while this value lives: each key is delivered as it is pressed, without echo.
///
/// Signals come as events, so that every exit passes through `restore()`. Keys typed before this program was ready count.
final class RawTerminal {
  enum Event: Equatable {
    case keys([UInt8])
    case signal(Int32)
    /// The requested time has passed.
    case timeout
    /// The terminal was closed.
    case closed
  }

  private var original = termios()
  private let signals: SignalPipe
  private var isRestored = false

  /// Nil if standard input is not a terminal that supports raw mode.
  init?() {
    guard tcgetattr(Descriptor.input, &original) == 0,
      let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    else { return nil }
    self.signals = signals
    var raw = original
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    withUnsafeMutableBytes(of: &raw.c_cc) {
      $0[Int(VMIN)] = 1
      $0[Int(VTIME)] = 0
    }
    guard tcsetattr(Descriptor.input, TCSADRAIN, &raw) == 0 else { return nil }
  }

  deinit { restore() }

  /// Restores the terminal. May be called twice.
  func restore() {
    guard !isRestored else { return }
    isRestored = true
    _ = tcsetattr(Descriptor.input, TCSADRAIN, &original)
  }

  /// Waits for keys, a signal, or `milliseconds`; nil waits without a limit.
  func next(withinMilliseconds milliseconds: Int64?) -> Event {
    var waiting = [
      pollfd(fd: Descriptor.input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let limit = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
    let count = poll(&waiting, nfds_t(waiting.count), limit)
    if let signal = signals.next() { return .signal(signal) }
    if count == 0 { return .timeout }
    if waiting[0].revents != 0 { return readKeys() }
    return .keys([])
  }

  private func readKeys() -> Event {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(Descriptor.input, &buffer, buffer.count)
    if count > 0 { return .keys(Array(buffer[..<count])) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? .keys([]) : .closed
  }
}
