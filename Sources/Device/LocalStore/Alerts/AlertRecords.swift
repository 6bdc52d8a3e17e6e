package import Model

/// An alert about to be raised.
package struct AlertDraft: Hashable, Sendable {
  package var message: String?
  package var location: Location?
  package var isDrill: Bool
  /// Minutes east of UTC, here and now; nil if unknown.
  package var utcOffsetMinutes: Int?
  /// The only responder who is told of a drill; nil: all of them.
  var onlyContact: ContactID?

  package init(message: String? = nil, location: Location? = nil, isDrill: Bool = false, utcOffsetMinutes: Int? = nil) {
    self.message = message
    self.location = location
    self.isDrill = isDrill
    self.utcOffsetMinutes = utcOffsetMinutes
  }
}

/// The result of raising an alert, which is durable.
package struct Activation: Hashable, Sendable {
  /// The new alert, or the one that was active before.
  package let alert: Alert
  package let alreadyActive: Bool
  /// It is in the spool because the store could not save it; it is imported later.
  package let isSpooled: Bool
  /// False if there was no room for this call, and an alert in the spool replaces it: that one is saved, and the content of this call is
  /// not.
  package var isCallSaved = true
  /// The id of this press, for `pressProgress`: the id of its alert, if it is one of its own.
  package let press: AlertID

  package init(alert: Alert, alreadyActive: Bool, isSpooled: Bool, press: AlertID) {
    self.alert = alert
    self.alreadyActive = alreadyActive
    self.isSpooled = isSpooled
    self.press = press
  }

  /// The result of a press that raised the alert, or updates it.
  init(_ alert: Alert, of press: RaisedAlert) {
    self.init(alert: alert, alreadyActive: alert.id != press.id, isSpooled: false, press: press.id)
  }
}

/// How far one press got.
package struct PressProgress: Hashable, Sendable {
  /// The alert that carries it now: its own, or the one that it updates.
  package var alertID: AlertID
  /// When the server accepted this press, by the server's clock; nil until then.
  package var acceptedAt: Timestamp?

  package init(alertID: AlertID, acceptedAt: Timestamp?) {
    self.alertID = alertID
    self.acceptedAt = acceptedAt
  }
}

/// The alert that is shown, and the state of the sync.
package struct AlertStatus: Hashable, Sendable {
  /// The active alert that was raised first, a real one before a drill; otherwise the newest; nil before the first.
  package var alert: Alert?
  /// The newest further call for help in it, sent or not.
  package var newestUpdate: AlertUpdate?
  /// The other alerts that are active: several devices raised one each before they heard of each other. Drills only if `alert` is one.
  package var otherActive: [OtherActiveAlert] = []
  /// Every active alert, drills too, as this status knows it: for `deactivateAlerts`. Nil if unknown.
  package var toEnd: [AlertToEnd]?
  /// `accepted` only if the server has every call for help that was made here.
  package var stage: DeliveryStage
  /// When the server stored the newest call of the alert, by the server's clock.
  package var acceptedAt: Timestamp?
  /// When that call was made, if it was not the alert's first.
  package var newestPressAt: Timestamp?
  /// The receipts of "help", by responder. If several alerts are active, the best for each responder and channel: whoever answered one of
  /// them comes.
  package var responders: [Receipt]
  /// The receipts of "safe now", by responder.
  package var safeReceipts: [Receipt]
  package var sync: SyncOverview
  /// The newest alert of all, if a person discarded it before it was sent: it is not active, and nobody was notified.
  package var discarded: Alert?
  /// The alert has ended here, and the server does not have its end.
  package var isEndUnsent = false
  /// Why an active alert reaches nobody; nil if it may reach somebody, and if none is active.
  package var nobodyIsTold: NobodyIsTold?
  /// False if the alert is in memory only, because this device could not save it: it is lost when the machine is switched off or the user
  /// logs out.
  package var isSaved = true
}

/// An active alert besides the one that is shown.
package struct OtherActiveAlert: Hashable, Sendable {
  package var alert: Alert
  /// The newest further call for help in it, sent or not.
  package var newestUpdate: AlertUpdate?

  package init(_ alert: Alert, newestUpdate: AlertUpdate? = nil) {
    self.alert = alert
    self.newestUpdate = newestUpdate
  }
}

/// Why a call for help reaches nobody, as far as this device knows.
package enum NobodyIsTold: String, Hashable, Sendable {
  case noResponders = "no_responders"
  /// No responder has a channel.
  case noChannel = "no_channel"
  /// The server rejected every responder.
  case refused
  /// The server has given up every message: it cannot use the channels.
  case unreachable
  /// The server can send over none of their channels.
  case unsupported

  /// False where the app may tell responders who use LifeSignal themselves: the server says so only once it did.
  package var isCertain: Bool { self == .noResponders || self == .refused }

  /// For a person, without a full stop.
  package var reason: String {
    switch self {
    case .noResponders: "you have no responders"
    case .noChannel: "there is no way to reach your responders"
    case .refused: "the server refused your responders"
    case .unreachable: "this server cannot reach any of your responders"
    case .unsupported: "this server cannot use their channels"
    }
  }
}

/// The state of the sync between device and server.
package struct SyncOverview: Hashable, Sendable {
  /// Queued mutations and notification requests, without the parked ones.
  package var pending: Int
  package var parked: Int
  /// The number of calls for help and ends outside the store, which could not save them, that the server is not known to have. They do not
  /// count as pending.
  package var unsentOutside = 0
  /// By the device's clock.
  package var lastSuccessAt: Timestamp?
  /// By the device's clock; nil if nothing waits for a retry.
  package var nextAttemptAt: Timestamp?
  /// The error of the last exchange, one line for a person; nil if it succeeded.
  package var lastError: String?
  /// The raw value of `SyncFailure.Kind`.
  package var lastErrorKind: String?
  /// Somebody is signed in, and the session has not expired.
  package var signedIn: Bool
  /// Server time minus device time, as last measured.
  package var serverOffsetMilliseconds: Int64?
  /// The server rejected the session: alerts are still sent with the alert key. False if the server rejected that too.
  package var isSessionExpired = false
  /// The server rejected the session and the alert key. It may be the wrong server, for a while: alerts are tried on.
  package var isDeviceRefused = false

  package init(
    pending: Int, parked: Int, lastSuccessAt: Timestamp? = nil, nextAttemptAt: Timestamp? = nil,
    lastError: String? = nil, lastErrorKind: String? = nil, signedIn: Bool, serverOffsetMilliseconds: Int64? = nil,
    isSessionExpired: Bool = false, isDeviceRefused: Bool = false
  ) {
    self.pending = pending
    self.parked = parked
    self.lastSuccessAt = lastSuccessAt
    self.nextAttemptAt = nextAttemptAt
    self.lastError = lastError
    self.lastErrorKind = lastErrorKind
    self.signedIn = signedIn
    self.serverOffsetMilliseconds = serverOffsetMilliseconds
    self.isSessionExpired = isSessionExpired
    self.isDeviceRefused = isDeviceRefused
  }
}

/// An alert in the history.
package struct HistoryEntry: Hashable, Sendable {
  package var alert: Alert
  package var stage: DeliveryStage
  /// By the server's clock.
  package var acceptedAt: Timestamp?
  /// A person discarded it before it was sent: it never will be.
  package var isDiscarded: Bool
}

/// Where a page of the history ended. Opaque.
package struct HistoryPosition: Hashable, Sendable {
  /// Whether it ended among the active alerts, which come first.
  let isActive: Bool
  /// Nil if it ended before them.
  let listOrder: Int64?
}

/// A page of the history: active alerts first, then the newest first.
package struct HistoryPage: Hashable, Sendable {
  package var entries: [HistoryEntry]
  /// The argument for the next page; nil after the last.
  package var next: HistoryPosition?
  /// Whose alerts they are; nil if nobody is signed in.
  package var accountID: AccountID?

  package init(entries: [HistoryEntry], next: HistoryPosition? = nil, accountID: AccountID? = nil) {
    self.entries = entries
    self.next = next
    self.accountID = accountID
  }
}

/// A contact as the device shows it: the server's state with the queued mutations applied.
package struct StoredContact: Hashable, Sendable {
  package var contact: Contact
  /// The secret with which the server signs this contact's webhooks; nil until the server knows the contact.
  package var webhookSecret: String?
  /// A mutation of it is queued, or parked.
  package var isPending: Bool
  /// Those of its channels through which the contact answered a drill.
  package var tested: [TestedChannel]
  /// Those of its channels over which a message failed for good, and none got through since.
  package var failed: [FailedChannel]
  /// What the server has of it; nil if it has nothing, and if that cannot be read.
  package var onServer: ContactDetails?

  package init(
    contact: Contact, webhookSecret: String?, isPending: Bool, tested: [TestedChannel] = [],
    failed: [FailedChannel] = [], onServer: ContactDetails? = nil
  ) {
    self.contact = contact
    self.webhookSecret = webhookSecret
    self.isPending = isPending
    self.tested = tested.among(contact.details.channels)
    self.failed = failed.among(contact.details.channels).since(self.tested)
    self.onServer = onServer
  }
}
