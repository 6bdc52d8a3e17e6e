import Model

/// The server's clock, measured in this run against the monotonic clock, so wall-clock jumps do not affect it.
struct ServerClock {
  private var serverMinusMonotonicMilliseconds: Int64?

  /// Estimates the server's time when the answer arrived: its timestamp plus half the round trip.
  mutating func measure(_ serverTime: Timestamp, sentAt: Moment, receivedAt: Moment) -> Timestamp {
    let roundTrip = max(0, receivedAt.monotonicMilliseconds - sentAt.monotonicMilliseconds)
    let now = serverTime.advanced(byMilliseconds: roundTrip / 2)
    serverMinusMonotonicMilliseconds = now.milliseconds(
      since: Timestamp(milliseconds: receivedAt.monotonicMilliseconds))
    return now
  }

  /// - Parameter storedOffset: server time minus wall time, from an earlier run.
  func now(at moment: Moment, storedOffset: Int64?) -> Timestamp? {
    if let serverMinusMonotonicMilliseconds {
      return Timestamp(milliseconds: moment.monotonicMilliseconds)
        .advanced(byMilliseconds: serverMinusMonotonicMilliseconds)
    }
    return storedOffset.map { moment.wall.advanced(byMilliseconds: $0) }
  }
}
