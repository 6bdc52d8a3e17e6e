import Model
import Wire

/// All that a message to a responder is made of.
struct DeliveryMessage {
  /// What the message says, from the notice and what the alert has become since.
  enum Content: Equatable {
    /// Help is needed.
    case help
    /// Help was asked for and told; the person is safe now.
    case safe
    /// Danger and its end at once, to somebody who had heard of neither.
    case helpAndSafe
  }

  var delivery: StoredDelivery
  var alert: AlertRecord
  /// The alert with the times that people are told.
  var told: Alert
  /// The number of who raised it.
  var phone: String
  var utcOffsetMinutes: Int?
  /// How many updates of the alert the message tells of.
  var updateCount = 0
  /// When the newest place was told; nil where the newest call told it.
  var olderPlaceAt: Timestamp?
  /// For "safe": the target was told of the danger before.
  var wasTold: Bool
  var noContactSince: Timestamp?
  var now: Timestamp

  var content: Content {
    if alert.alert.isActive { return .help }
    return delivery.notice == .deactivated && wasTold ? .safe : .helpAndSafe
  }

  /// For somebody who may have heard a call and is no responder any more, or by this channel: that it is over, and nothing of what
  /// the person said or where they were.
  var withoutWords: Self {
    var message = self
    message.alert.alert = Self.withoutWords(alert.alert)
    message.alert.newestUpdate = nil
    message.told = Self.withoutWords(told)
    return message
  }

  private static func withoutWords(_ alert: Alert) -> Alert {
    Alert(id: alert.id, startedAt: alert.startedAt, endedAt: alert.endedAt, isDrill: alert.isDrill)
  }

  var isLate: Bool { told.isLate(receivedAt: alert.receivedAt) }
}
