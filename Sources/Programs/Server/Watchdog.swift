import ServerHTTP
import SystemKit

/// Tells systemd that the server is alive, while its threads take up the requests that wait. systemd starts a server again that is silent.
struct Watchdog {
  private let manager: ServiceManager
  private var before: [WorkProgress] = []
  /// Three times in the time that systemd allows. Nil if systemd does not wait.
  let intervalMilliseconds: Int?

  init(_ manager: ServiceManager) {
    self.manager = manager
    intervalMilliseconds = manager.watchdogMilliseconds.map { max(1, $0 / 3) }
  }

  /// Call it after each interval. False, and nothing is told, where requests wait and none was taken up since the last call.
  mutating func check(_ now: [WorkProgress]) -> Bool {
    let isStuck = zip(now, before).contains { $0.isStuck(since: $1) }
    before = now
    if !isStuck, intervalMilliseconds != nil { manager.tell(.alive) }
    return !isStuck
  }
}
