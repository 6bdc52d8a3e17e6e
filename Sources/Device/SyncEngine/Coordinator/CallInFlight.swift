import LocalStore
import Model
import Wire

/// What the coordinator has to remember of the exchange in flight.
struct ExchangeInFlight {
  /// One request of it that is in flight.
  struct Attempt {
    let id: RequestID
    let sentAt: Moment
  }

  /// The oldest first; never more than two.
  var attempts: [Attempt]
  let exchange: Exchange
  let batch: Batch
  let request: TransportRequest
  /// Of the answer that ended it.
  var answerBytes = 0

  var bodyBytes: Int { request.body.count }
  var items: Int { batch.mutations.count + batch.notifications.count }
}

/// What the coordinator has to remember of the refresh in flight.
struct RefreshInFlight {
  let id: RequestID
  /// A secret. Tells whether the session is still the one that is refreshed.
  let refreshToken: String
}

/// One call of `handle`: what goes in, and the commands that gather.
struct Turn {
  let moment: Moment
  let jitter: Double
  var commands: [SyncCommand] = []
  /// The planner's last word on when to look again.
  var wake: Int64?
  /// What happened, still to be told to the planner.
  var events: [PlannerEvent] = []

  init(at moment: Moment, jitter: Double) {
    self.moment = moment
    self.jitter = jitter
  }

  mutating func storeFailed(_ error: LocalStoreError) {
    commands.append(.storeFailed(error))
    events.append(.storeFailed)
  }
}

/// The server's clock as measured in this run, against the monotonic clock: it holds though the wall clock jumps.
struct ServerClock {
  private var serverMinusMonotonicMilliseconds: Int64?

  /// The server's time when the answer came: what it wrote, and half the round trip.
  mutating func measure(_ serverTime: Timestamp, sentAt: Moment, receivedAt: Moment) -> Timestamp {
    let roundTrip = max(0, receivedAt.monotonicMilliseconds - sentAt.monotonicMilliseconds)
    let now = serverTime.advanced(byMilliseconds: roundTrip / 2)
    serverMinusMonotonicMilliseconds = now.milliseconds(
      since: Timestamp(milliseconds: receivedAt.monotonicMilliseconds))
    return now
  }

  /// - Parameter storedOffset: server time minus wall time, of an earlier run.
  func now(at moment: Moment, storedOffset: Int64?) -> Timestamp? {
    if let serverMinusMonotonicMilliseconds {
      return Timestamp(milliseconds: moment.monotonicMilliseconds)
        .advanced(byMilliseconds: serverMinusMonotonicMilliseconds)
    }
    return storedOffset.map { moment.wall.advanced(byMilliseconds: $0) }
  }
}
