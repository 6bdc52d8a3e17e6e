import DeviceCore
import SystemKit

/// Tells systemd that the worker moves, when it wakes anyway. systemd starts a worker again that is silent.
final class WorkerWatchdog: Sendable {
  private let manager: ServiceManager
  private let limitMilliseconds: Int
  /// Nil: not yet.
  private let toldAt = Lock<Int64?>(nil)

  /// Nil if systemd does not wait.
  init?(_ manager: ServiceManager) {
    guard let limit = manager.watchdogMilliseconds else { return nil }
    self.manager = manager
    limitMilliseconds = limit
  }

  /// For `SyncWorkerOptions`. A worker at rest wakes more often than the package's unit asks for.
  var longestWaitMilliseconds: Int { max(1, limitMilliseconds / 2) }

  func woke() {
    let now = DeviceClock.monotonicMilliseconds()
    let isDue = toldAt.withLock { toldAt in
      if let time = toldAt, now - time < Int64(limitMilliseconds / 4) { return false }
      toldAt = now
      return true
    }
    if isDue { manager.tell(.alive) }
  }
}
