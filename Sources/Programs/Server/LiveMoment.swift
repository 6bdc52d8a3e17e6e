import Model
import Secrets
import ServerCore
import SystemKit

/// Clock and randomness for the server core.
enum LiveMoment {
  @Sendable static func now() -> Timestamp {
    Timestamp(milliseconds: KernelClock.wall.milliseconds())
  }

  @Sendable static func read() -> ServerMoment {
    ServerMoment(now: now(), entropy: .live())
  }
}
