import Glibc
import Model
import Secrets
import ServerCore

/// The outside world, as the server core is told of it.
enum LiveMoment {
  @Sendable static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  @Sendable static func read() -> ServerMoment {
    ServerMoment(now: now(), entropy: .live())
  }
}
