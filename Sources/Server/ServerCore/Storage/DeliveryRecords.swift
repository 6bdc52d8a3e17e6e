package import Model
import PlantedBugs

/// The durable queue of messages to responders, which is also the store of their receipts: one row for each alert,
/// contact, channel and notice, for help for each call, and for each role beside the news.
///
/// All functions throw `StorageError`.
package protocol DeliveryRecords {
  /// The delivery with this id, of whatever account, if it failed or is due now or later; nil for any other. For an operator, who knows the
  /// id alone.
  func replayableDelivery(_ id: DeliveryID) throws(StorageError) -> StoredDelivery?
  /// Of one alert, by the contact's name, then by id.
  func deliveries(of alert: AlertID, account: AccountID) throws(StorageError) -> [StoredDelivery]

  /// When there is something to do for the delivery queue, and beside it.
  func outlook(at now: Timestamp, latest: LatestTimes) throws(StorageError) -> QueueOutlook
  /// Up to `limit` deliveries that are due: by priority, then those that were never tried, then the accounts of each host in turn,
  /// then the longest due. With those leased before, no more are leased at once than `inFlight` says.
  func dueDeliveries(
    at now: Timestamp, limit: Int, inFlight: InFlightLimits
  ) throws(StorageError) -> DueDeliveries
  /// Takes a delivery out of the queue, as failed for `reason`, without reading its row. Nothing else changes.
  func setAside(_ key: DeliveryKey, reason: String, at now: Timestamp) throws(StorageError)
  /// Makes "safe" due at `now` that waits behind the delivery, once no call for help to its target is queued. Reads no row whole: one that
  /// cannot be read holds it up no longer.
  func releaseSafe(behind key: DeliveryKey, at now: Timestamp) throws(StorageError)
  /// When to ask `dueDeliveries` again; may be past. It has nothing before that.
  func nextDue(at now: Timestamp, inFlight: InFlightLimits) throws(StorageError) -> Timestamp?
  /// Notes how a host answered, for what is started there later. A hint in memory: it is lost with the process.
  func note(_ answer: HostAnswer, of host: String)
  /// Notes that the attempt of a message hung that has just ended. A hint in memory likewise.
  func noteHung(_ id: DeliveryID)
  /// Makes all due at `now`, and ends the leases, that would be due after `latest`.
  func bringForward(dueAfter latest: Timestamp, to now: Timestamp) throws(StorageError)
  /// Ends all leases: what was under way is due at `now`.
  func endLeases(at now: Timestamp) throws(StorageError)
}

/// When something is due in the delivery queue, and in what is done together with it.
package struct QueueOutlook: Sendable, Hashable {
  /// Whether a delivery becomes due, or its lease ends, after the latest time.
  package var hasDeliveryTooLate = false
  /// When responders are to be asked again, of all alerts.
  package var asking = DueTimes()
  /// When a device is to be checked for silence, of all alerts.
  package var silence = DueTimes()
  /// Whether alerts are to be written into inboxes.
  package var hasAlertsToPost = false
  package var codes = CodeQueue()

  package init() {}
}

/// What is due after these times was written before the clock was set back.
package struct LatestTimes: Sendable, Hashable {
  package var delivery: Timestamp
  package var asking: Timestamp
  package var silence: Timestamp

  package init(delivery: Timestamp, asking: Timestamp, silence: Timestamp) {
    self.delivery = delivery
    self.asking = asking
    self.silence = silence
  }
}

/// What is to be known of several due times.
package struct DueTimes: Sendable, Hashable {
  /// Nil where there are none.
  package var first: Timestamp?
  /// Whether one is after the latest time.
  package var hasTooLate: Bool

  package init(first: Timestamp? = nil, hasTooLate: Bool = false) {
    self.first = first
    self.hasTooLate = hasTooLate
  }

  /// Whether there is something to do.
  func areDue(at now: Timestamp) -> Bool { hasTooLate || first.map { $0 <= now } == true }
}

/// Deliveries that are due.
package struct DueDeliveries: Sendable {
  package var deliveries: [StoredDelivery] = []
  /// Others, whose rows cannot be read.
  package var unreadable: [DeliveryKey] = []

  package init() {}
}

/// Which delivery, and whose: what finds its row.
package struct DeliveryKey: Sendable, Hashable {
  package var id: DeliveryID
  /// Nil where it cannot be read, in a store that finds a delivery without it.
  package var account: AccountID?

  package init(_ id: DeliveryID, of account: AccountID?) {
    self.id = id
    self.account = account
  }
}

/// What goes first where not everything can go at once.
package enum DeliveryPriority: Int, Sendable, Hashable, CaseIterable {
  /// Help is needed.
  case help = 0
  /// Somebody is safe.
  case safe = 1
  /// Asks again, or tells who comes.
  case extra = 3
  /// Only a test.
  case drill = 2

  /// Its place in `allCases`, the most urgent first.
  var place: Int {
    switch self {
    case .help: 0
    case .safe: 1
    case .extra: 2
    case .drill: 3
    }
  }

  package init(_ notice: Notice, isDrill: Bool) {
    if PlantedBug.firstComeFirstServed.isPlanted {
      self = .help
    } else {
      self = isDrill ? .drill : notice == .activated ? .help : .safe
    }
  }
}

/// What a message is for.
package enum DeliveryRole: String, Sendable, Hashable, CaseIterable {
  /// Tells of a call for help, or of its end. Every one has a receipt.
  case news
  /// Asks again, because nobody comes. It has a receipt once it was sent.
  case reminder
  /// Asks whether somebody still comes.
  case check
  /// Tells the others who comes.
  case relief
}

extension DeliveryRole {
  /// Whether the account's devices see the receipt of such a message. What was sent before stays shown while a reminder is queued.
  package func hasReceipt(in state: DeliveryState) -> Bool {
    switch self {
    case .news: true
    case .reminder: state.isTold
    case .check, .relief: false
    }
  }
}

/// Whom a message is to reach, about which alert.
package struct DeliveryTarget: Sendable, Hashable {
  package var account: AccountID
  package var alert: AlertID
  package var contact: ContactID
  /// Nil where the contact has no channel.
  package var channel: Channel?

  package init(account: AccountID, alert: AlertID, contact: ContactID, channel: Channel?) {
    self.account = account
    self.alert = alert
    self.contact = contact
    self.channel = channel
  }
}

/// One message to one responder by one channel.
package struct StoredDelivery: Sendable, Hashable {
  package var id: DeliveryID
  package var target: DeliveryTarget
  /// As it was when the message was queued for the last time.
  package var contactName: String
  package var notice: Notice
  package var priority: DeliveryPriority
  package var state: DeliveryState
  /// When it reached `state`; for a reminder that `isShownAsSent`, when it was sent.
  package var stateAt: Timestamp
  package var reason: String?
  /// The message, as it was last rendered, told of the alert's end too.
  package var toldEnd = false
  /// When it was queued, for the last time.
  package var createdAt: Timestamp
  /// Its contact or channel was taken away before it got through. It is queued again where both come back. While it is
  /// leased the message may still get through: then it is still `queued`, and not tried again.
  package var isDropped = false
  /// How often it was claimed.
  package var attempts = 0
  /// How often the other side refused it.
  package var refusals = 0
  /// When it may be claimed; while it is leased, when the lease ends. Nil where it is not queued, and for "safe" while
  /// the "help" of the same target is queued, which it must not overtake.
  package var dueAt: Timestamp?
  package var isLeased = false
  /// Another process of the store claimed it last. It may have done so under the number of a claim of this one that was undone without this
  /// one learning of it.
  package var isHeldElsewhere = false
  /// The number of the update for which it was queued; 0 for the alert itself, and for its end.
  package var callNumber = 0
  /// The number of the alert's newest update when the message was last rendered.
  package var toldCall = 0
  package var role = DeliveryRole.news
  /// How often it was queued, for a message beside the news.
  package var round = 0

  package init(
    id: DeliveryID, target: DeliveryTarget, contactName: String, notice: Notice, priority: DeliveryPriority = .help,
    state: DeliveryState, stateAt: Timestamp, reason: String? = nil, createdAt: Timestamp, dueAt: Timestamp? = nil
  ) {
    self.id = id
    self.target = target
    self.contactName = contactName
    self.notice = notice
    self.priority = priority
    self.state = state
    self.stateAt = stateAt
    self.reason = reason
    self.createdAt = createdAt
    self.dueAt = dueAt
  }

  var key: DeliveryKey { DeliveryKey(id, of: target.account) }

  /// As receipts name a channel. A kind that this server does not know is none to it.
  package static func kind(ofReceipt channel: Channel?) -> Channel.Kind {
    guard let kind = channel?.kind, kind != .other else { return .noChannel }
    return kind
  }

  /// For the backoff. A message beside the news is queued again and again, and a failure in a later round is no reason to wait for long.
  var attemptsToCount: Int { role == .news ? attempts : min(attempts, 4) }

  /// Whether it stands in the responder's own inbox, where nobody has opened it.
  var isUnopenedInbox: Bool { target.channel == .inbox && state == .sent }

  /// Whether it reached the person with the contact's earlier number.
  var isOfEarlierNumber: Bool { state.isTold && reason == Receipt.numberChangedReason }

  /// Whether it is a reminder that an earlier round sent: devices show its receipt of then, as one that is queued or failed has none.
  var isShownAsSent: Bool { role == .reminder && !state.isTold && stateAt < createdAt }

  /// Whether it calls for help.
  package var isHelp: Bool { notice == .activated && (role == .news || role == .reminder) }

  /// Whether the account's devices see its receipt.
  package var hasReceipt: Bool { role.hasReceipt(in: state) }

  package var receipt: Receipt {
    Receipt(
      id: ReceiptID(id), alertID: target.alert, contactID: target.contact, contactName: contactName, notice: notice,
      channel: Self.kind(ofReceipt: target.channel), state: state, at: stateAt, reason: reason)
  }
}
