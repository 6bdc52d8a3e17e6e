import Model
import Secrets
import ServerCore
import SystemKit

/// The outside world, as the server core is told of it.
enum LiveMoment {
  @Sendable static func now() -> Timestamp {
    Timestamp(milliseconds: KernelClock.wall.milliseconds())
  }

  @Sendable static func read() -> ServerMoment {
    ServerMoment(now: now(), entropy: .live())
  }
}
