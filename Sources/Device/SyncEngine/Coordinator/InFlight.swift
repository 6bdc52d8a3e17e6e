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
  var credential: Credential { batch.isAlertKeyOnly ? .alertKey : .session }
}

/// What an exchange was sent with.
enum Credential: Hashable {
  case alertKey, session
}

/// An answer that our server gave to an exchange.
struct ReceivedAnswer {
  /// Of the request.
  let id: RequestID
  let response: SyncResponse
  let receivedAt: Moment
  /// Whether an alert that is queued when it is applied goes first.
  var yieldsToAlerts: Bool

  /// How long it may wait for the answer to an alert beside it.
  static let holdMilliseconds: Int64 = 50

  var holdEndMilliseconds: Int64 { receivedAt.monotonicMilliseconds + Self.holdMilliseconds }
}

/// The exchange that was sent before the answer to the one before it was applied.
struct ExchangeAhead {
  let exchange: ExchangeInFlight
  /// With which it was sent.
  let session: Session

  var id: RequestID { exchange.request.id }
}

/// The coordinator's state for the token refresh in flight.
struct RefreshInFlight {
  let id: RequestID
  /// A secret. Identifies the session that is being refreshed.
  let refreshToken: String
}
