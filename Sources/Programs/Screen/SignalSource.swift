import Dispatch
import SystemKit

/// Delivers signals as events on the main queue.
@MainActor final class SignalSource {
  private let pipe: SignalPipe
  private let source: any DispatchSourceRead
  private let receive: @MainActor (Int32) -> Void

  /// Calls `receive` for each of `signals` until the program ends. Returns nil if no pipe can be made.
  init?(_ signals: [Int32], receive: @escaping @MainActor (Int32) -> Void) {
    guard let pipe = SignalPipe(signals, restartsCalls: true) else { return nil }
    self.pipe = pipe
    self.receive = receive
    source = DispatchSource.makeReadSource(fileDescriptor: pipe.descriptor, queue: .main)
    source.setEventHandler { [self] in MainActor.assumeIsolated { takeSignals() } }
    source.activate()
  }

  private func takeSignals() {
    while let signal = pipe.next() { receive(signal) }
  }

  /// Delivers `signal` here again, after another action was set for it.
  func takeAgain(_ signal: Int32) { pipe.takeAgain(signal) }
}
