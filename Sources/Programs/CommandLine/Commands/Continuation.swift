import DeviceCore
import LocalStore

/// What goes on sending when this command has ended.
struct Continuation {
  private let home: HomeDirectory
  private let start: BackgroundSender.Start
  private let startMilliseconds = DeviceClock.monotonicMilliseconds()

  /// Starts a sender in the background if there is none. Call it once something is saved, or kept in memory.
  init(_ home: HomeDirectory, _ context: Context) {
    self.home = home
    start = BackgroundSender.start(home, setting: context.environment[Self.variable])
  }

  static let variable = "LIFESIGNAL_BACKGROUND"

  /// Whether one was there or was started. It may not be ready yet.
  var isStarted: Bool { start == .running || start == .started }

  /// Whether one stands by, which a process does within two seconds of its start.
  var isReady: Bool { isStarted && BackgroundSender.isReady(home, since: startMilliseconds) }

  /// Why there is none, if that is not what the person asked for.
  var failure: String? {
    switch start {
    case .failed(let reason): Sentences.capitalized(Sentences.closed(reason))
    case .running, .started, .switchedOff: nil
    }
  }
}
