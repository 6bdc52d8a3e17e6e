import Model
import PlantedBugs
import Wire

/// The content of a message to a responder.
struct DeliveryMessage {
  /// What the message says, from the notice and the alert's current state.
  enum Content: Equatable {
    /// Help is needed.
    case help
    /// Help was asked for and told; the person is safe now.
    case safe
    /// Danger and its end together, for a responder who heard of neither.
    case helpAndSafe
    /// Somebody else is responding.
    case relief
    /// Is the responder still responding?
    case check
  }

  var delivery: StoredDelivery
  var alert: AlertRecord
  /// The alert with corrected times, as responders see it.
  var told: Alert
  /// The telephone number of the person who raised it.
  var phone: String
  /// What they say of themselves; nil if they never did.
  var profile: Profile?
  var utcOffsetMinutes: Int?
  /// The number of updates that the message includes.
  var updateCount = 0
  /// What all calls said, newest first, the first call's words last.
  var words: [SaidWords] = []
  /// When the newest location was sent; nil if the newest call included it.
  var olderPlaceAt: Timestamp?
  /// For "safe": the target was told of the danger.
  var wasTold: Bool
  var noContactSince: Timestamp?
  /// The names of those who are responding; for `relief`.
  var comers: [String] = []
  /// Where the responder answers; nil where nobody needs to respond any more.
  var page: Page?
  /// With which the responder answers by text message; nil where they cannot.
  var answerCode: AnswerCode?
  /// The responder has another channel that takes a link.
  var hasWrittenChannel = false
  var now: Timestamp

  struct Page: Equatable {
    var link: PageLink
    var url: String
  }

  var content: Content {
    if alert.alert.isActive {
      return switch delivery.role {
      case .news, .reminder: .help
      case .check: .check
      case .relief: .relief
      }
    }
    return delivery.notice == .deactivated && wasTold ? .safe : .helpAndSafe
  }

  /// For the receiver: the same for attempts that say the same, so that it may ignore one that it has seen. The delivery's id, with a suffix
  /// if the message says more than it was queued for: the number of a later call, or `_ended`. What is queued anew is said anew: it asks
  /// again, also after the server was restored from a copy, its contact has another number, or the operator wants it repeated.
  var id: String {
    if PlantedBug.newsUnderOldID.isPlanted { return delivery.id.description }
    if delivery.role != .news { return "\(delivery.id)_\(delivery.createdAt.milliseconds)_\(updateCount)" }
    let isAnew = delivery.createdAt != delivery.id.createdAt
    let own = isAnew ? "\(delivery.id)_\(delivery.createdAt.milliseconds)" : delivery.id.description
    let isEnd = saysSafe
    if isEnd, delivery.notice == .activated { return "\(own)_ended" }
    if !isEnd, updateCount > delivery.callNumber { return "\(own)_\(updateCount)" }
    return own
  }

  /// Whether it says that the person is safe.
  var saysSafe: Bool { content == .safe || content == .helpAndSafe }

  /// Whether it is no news of the alert itself.
  var isAside: Bool { content == .relief || content == .check }

  /// Whether it has anything to say: messages beside the news are for an active alert.
  var isWanted: Bool {
    switch delivery.role {
    case .news: true
    case .reminder, .check: alert.alert.isActive
    case .relief: alert.alert.isActive && !comers.isEmpty
    }
  }

  /// For a former responder, or a former channel: says that the alert is over, without messages and locations.
  var withoutWords: Self {
    var message = self
    message.alert.alert = Self.withoutWords(alert.alert)
    message.alert.newestUpdate = nil
    message.words = []
    message.told = Self.withoutWords(told)
    return message
  }

  private static func withoutWords(_ alert: Alert) -> Alert {
    Alert(id: alert.id, startedAt: alert.startedAt, endedAt: alert.endedAt, isDrill: alert.isDrill)
  }

  var person: PersonName { PersonName(profile, phone: phone) }

  var isLate: Bool { told.isLate(receivedAt: alert.receivedAt) }
}
