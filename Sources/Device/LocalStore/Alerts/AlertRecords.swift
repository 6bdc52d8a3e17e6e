package import Model

/// An alert about to be raised.
package struct AlertDraft: Hashable, Sendable {
  package var message: String?
  package var location: Location?
  package var isDrill: Bool
  /// Minutes east of UTC here and now; nil where unknown.
  package var utcOffsetMinutes: Int?

  package init(message: String? = nil, location: Location? = nil, isDrill: Bool = false, utcOffsetMinutes: Int? = nil) {
    self.message = message
    self.location = location
    self.isDrill = isDrill
    self.utcOffsetMinutes = utcOffsetMinutes
  }
}

/// What raising an alert did. It was durable before this value existed.
package struct Activation: Hashable, Sendable {
  /// The new alert, or the one that was active before.
  package let alert: Alert
  package let alreadyActive: Bool
  /// It lies in the spool because the store could not take it; it is taken in when the store can.
  package let isSpooled: Bool
  /// False where there was no room for this call, and an alert that waits in the spool stands for it: that is saved, and what this
  /// call says is not.
  package var isCallSaved = true
  /// Names this call for help, for `pressProgress`: the id that its alert has where it is one of its own.
  package let press: AlertID

  package init(alert: Alert, alreadyActive: Bool, isSpooled: Bool, press: AlertID) {
    self.alert = alert
    self.alreadyActive = alreadyActive
    self.isSpooled = isSpooled
    self.press = press
  }

  /// Of a press that is with the alert, its own or the one that it updates.
  init(_ alert: Alert, of press: RaisedAlert) {
    self.init(alert: alert, alreadyActive: alert.id != press.id, isSpooled: false, press: press.id)
  }
}

/// How far one call for help got.
package struct PressProgress: Hashable, Sendable {
  /// The alert that carries it now: its own, or the one that was active.
  package var alertID: AlertID
  /// When the server took this call, by the server's clock; nil while it has not.
  package var acceptedAt: Timestamp?

  package init(alertID: AlertID, acceptedAt: Timestamp?) {
    self.alertID = alertID
    self.acceptedAt = acceptedAt
  }
}

/// How things stand.
package struct AlertStatus: Hashable, Sendable {
  /// The active alert that was raised first, a real one before a drill; else the newest; nil before the first.
  package var alert: Alert?
  /// The newest further call for help in it, sent or not.
  package var newestUpdate: AlertUpdate?
  /// `accepted` only where the server has every call for help that was made here.
  package var stage: DeliveryStage
  /// When the server stored the newest call of the alert, by the server's clock.
  package var acceptedAt: Timestamp?
  /// What became of "help", by responder.
  package var responders: [Receipt]
  /// What became of "safe now", by responder.
  package var safeReceipts: [Receipt]
  package var sync: SyncOverview
  /// The newest alert of all, where a person discarded it before the server heard of it: it is not active, and nobody was told.
  package var discarded: Alert?
  /// The alert has ended here, and the server has not heard of its end.
  package var isEndUnsent = false
  /// Why an active alert reaches nobody; nil where it may, and where none is active.
  package var nobodyIsTold: NobodyIsTold?
  /// False where the alert was raised in memory, because this device could not save it: it is gone when the machine is switched off
  /// or the user logs out.
  package var isSaved = true
}

/// Why a call for help reaches nobody, as far as this device knows.
package enum NobodyIsTold: String, Hashable, Sendable {
  case noResponders = "no_responders"
  /// No responder has a channel.
  case noChannel = "no_channel"
  /// The server refused whoever is a responder here.
  case refused
  /// The server has given up every message: it cannot serve the channels.
  case unreachable

  /// For a person, without a full stop.
  package var reason: String {
    switch self {
    case .noResponders: "you have no responders"
    case .noChannel: "there is no way to reach your responders"
    case .refused: "the server refused your responders"
    case .unreachable: "this server cannot reach any of your responders"
    }
  }
}

/// How far the device and the server agree.
package struct SyncOverview: Hashable, Sendable {
  /// Queued mutations and notification requests, without the parked ones.
  package var pending: Int
  package var parked: Int
  /// Calls for help, and ends, that lie outside of the store, because it could not take them, and of which the server is not known to
  /// have heard. They are none of the pending.
  package var unsentOutside = 0
  /// By the device's clock.
  package var lastSuccessAt: Timestamp?
  /// By the device's clock; nil where nothing waits for a time.
  package var nextAttemptAt: Timestamp?
  /// Of the last exchange, nil where it succeeded: one line for a person.
  package var lastError: String?
  /// The raw value of `SyncFailure.Kind`.
  package var lastErrorKind: String?
  /// Somebody is signed in, and the session has not expired.
  package var signedIn: Bool
  /// Server time minus device time, as last measured.
  package var serverOffsetMilliseconds: Int64?
  /// Somebody is signed in, and the server refused the session: alerts are still sent, by the alert key. False where it refused
  /// that too.
  package var isSessionExpired = false

  package init(
    pending: Int, parked: Int, lastSuccessAt: Timestamp? = nil, nextAttemptAt: Timestamp? = nil,
    lastError: String? = nil, lastErrorKind: String? = nil, signedIn: Bool, serverOffsetMilliseconds: Int64? = nil,
    isSessionExpired: Bool = false
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
  }
}

/// An alert in the history.
package struct HistoryEntry: Hashable, Sendable {
  package var alert: Alert
  package var stage: DeliveryStage
  /// By the server's clock.
  package var acceptedAt: Timestamp?
  /// A person discarded it before the server heard of it: it will never be sent.
  package var isDiscarded: Bool
}

/// Where a page of the history ended. Opaque.
package struct HistoryPosition: Hashable, Sendable {
  let listOrder: Int64
}

/// A page of the history, newest first.
package struct HistoryPage: Hashable, Sendable {
  package var entries: [HistoryEntry]
  /// To be given for the next page; nil after the last.
  package var next: HistoryPosition?
}

/// A contact as the device shows it: the server's state with what is queued laid on top.
package struct StoredContact: Hashable, Sendable {
  package var contact: Contact
  /// With which the server signs this contact's webhooks; nil before the server knows the contact.
  package var webhookSecret: String?
  /// Something of it is queued, or parked.
  package var isPending: Bool

  package init(contact: Contact, webhookSecret: String?, isPending: Bool) {
    self.contact = contact
    self.webhookSecret = webhookSecret
    self.isPending = isPending
  }
}
