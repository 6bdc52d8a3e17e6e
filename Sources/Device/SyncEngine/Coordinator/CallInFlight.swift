import LocalStore
import Model
import Wire

/// The coordinator's state for the exchange in flight.
struct ExchangeInFlight {
  /// One HTTP request of the exchange that is in flight.
  struct Attempt {
    let id: RequestID
    let sentAt: Moment
  }

  /// Oldest first; at most two.
  var attempts: [Attempt]
  let exchange: Exchange
  let batch: Batch
  let request: TransportRequest
  /// An alert is in flight beside it.
  var isOvertaken = false
  /// The size of the final answer's body.
  var answerBytes = 0

  var bodyBytes: Int { request.body.count }
  var items: Int { batch.mutations.count + batch.notifications.count }
}

/// An answer that our server gave to an exchange.
struct ReceivedAnswer {
  /// Of the request.
  let id: RequestID
  let response: SyncResponse
  let receivedAt: Moment

  /// So many items and changes take longer to apply than an alert should wait.
  static let longCount = 64

  /// How long it may wait for the answer to an alert beside it.
  static let holdMilliseconds: Int64 = 50

  var holdEndMilliseconds: Int64 { receivedAt.monotonicMilliseconds + Self.holdMilliseconds }
}

/// The coordinator's state for the token refresh in flight.
struct RefreshInFlight {
  let id: RequestID
  /// A secret. Identifies the session that is being refreshed.
  let refreshToken: String
}

/// One call of `handle`: its inputs and the commands collected so far.
struct Turn {
  let moment: Moment
  let jitter: Double
  var commands: [SyncCommand] = []
  /// When the planner last asked to be called again.
  var wake: Int64?
  /// Events that the planner has not received yet.
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
