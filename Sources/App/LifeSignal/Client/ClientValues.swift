import DeviceCore
import LocalStore
import SyncEngine

/// What raising an alert did. The alert was durable on this device before this value existed.
public struct RaisedAlert: Hashable, Sendable {
  /// The new alert, or the one that was active before.
  public let alert: Alert
  /// None was raised, since this one is still active.
  public let wasActiveBefore: Bool
  /// It lies in a plain file, because the store could not take it; the next opening takes it in.
  public let isSpooled: Bool

  /// For previews and tests: a new alert, in the store.
  public init(alert: Alert, wasActiveBefore: Bool = false, isSpooled: Bool = false) {
    self.alert = alert
    self.wasActiveBefore = wasActiveBefore
    self.isSpooled = isSpooled
  }

  init(_ activation: Activation) {
    self.init(alert: activation.alert, wasActiveBefore: activation.alreadyActive, isSpooled: activation.isSpooled)
  }
}

/// How things stand on this device, as far as it knows. A rung of the ladder is never shown before it is reached.
public struct DeviceStatus: Hashable, Sendable {
  /// The active alert, else the newest one, else nil.
  public let alert: Alert?
  /// How far that alert got.
  public let stage: DeliveryStage
  /// When the server stored the alert, by the server's clock; nil while it has not said so.
  public let acceptedAt: Timestamp?
  /// What became of "help", a receipt for each responder and channel.
  public let responders: [Receipt]
  /// What became of "safe now".
  public let safeNotices: [Receipt]
  /// How far the device and the server agree.
  public let sync: SyncStatus
  /// Why the store cannot be read; nil usually. The alert is then known from a file of its own: it is active and saved, nothing is
  /// sent, and nothing else is known, not even who is signed in.
  public let storeError: LifeSignalError?
  /// Why the active alert reaches nobody, as far as this device knows: one line for a person; nil where it may reach somebody. The
  /// strongest words that there are: say it before anything else.
  public let nobodyIsTold: String?
  /// False where the alert was sent from memory, because this device could not save it (`sentNotSaved`): it is forgotten here when
  /// the machine is switched off, and `stage` says nothing of it.
  public let isSaved: Bool

  /// For previews and tests: without arguments that of a device on which no alert was raised and nobody is signed in.
  public init(
    alert: Alert? = nil, stage: DeliveryStage = .saved, acceptedAt: Timestamp? = nil, responders: [Receipt] = [],
    safeNotices: [Receipt] = [], sync: SyncStatus = SyncStatus(), storeError: LifeSignalError? = nil,
    nobodyIsTold: String? = nil, isSaved: Bool = true
  ) {
    self.isSaved = isSaved
    self.nobodyIsTold = nobodyIsTold
    self.alert = alert
    self.stage = stage
    self.acceptedAt = acceptedAt
    self.responders = responders
    self.safeNotices = safeNotices
    self.sync = sync
    self.storeError = storeError
  }

  init(_ status: StoreStatus, storeError: LifeSignalError?) {
    self.init(
      alert: status.alert, stage: status.stage, acceptedAt: status.acceptedAt, responders: status.responders,
      safeNotices: status.safeReceipts, sync: SyncStatus(status.sync), storeError: storeError,
      nobodyIsTold: status.alert?.isDrill == true ? nil : status.nobodyIsTold?.reason, isSaved: status.isSaved)
  }
}

/// How far the device and the server agree.
public struct SyncStatus: Hashable, Sendable {
  /// What is queued here and not taken by the server yet.
  public let pending: Int
  /// What the server refused, until a person decides about it.
  public let parked: Int
  /// By the device's clock, as the next.
  public let lastSuccessAt: Timestamp?
  /// When the server will be tried again; nil where nothing waits for a time.
  public let nextAttemptAt: Timestamp?
  /// One line for a person; nil where the last exchange succeeded.
  public let lastError: String?
  /// Somebody is signed in, and the session has not expired.
  public let isSignedIn: Bool
  /// Somebody is signed in whose session has expired: alerts are still sent, nothing else is, until they sign in again.
  public let isSessionExpired: Bool

  /// For previews and tests: without arguments that of a device that was never signed in.
  public init(
    pending: Int = 0, parked: Int = 0, lastSuccessAt: Timestamp? = nil, nextAttemptAt: Timestamp? = nil,
    lastError: String? = nil, isSignedIn: Bool = false, isSessionExpired: Bool = false
  ) {
    self.pending = pending
    self.parked = parked
    self.lastSuccessAt = lastSuccessAt
    self.nextAttemptAt = nextAttemptAt
    self.lastError = lastError
    self.isSignedIn = isSignedIn
    self.isSessionExpired = isSessionExpired
  }

  init(_ sync: SyncOverview) {
    self.init(
      pending: sync.pending + sync.unsentOutside, parked: sync.parked, lastSuccessAt: sync.lastSuccessAt,
      nextAttemptAt: sync.nextAttemptAt,
      lastError: sync.lastError, isSignedIn: sync.signedIn, isSessionExpired: sync.isSessionExpired)
  }
}

/// An alert of the history.
public struct PastAlert: Hashable, Sendable, Identifiable {
  /// The alert itself.
  public let alert: Alert
  /// How far it got.
  public let stage: DeliveryStage
  /// When the server stored it, by the server's clock; nil while it has not said so.
  public let acceptedAt: Timestamp?
  /// The person gave it up before the server had it: it will never be sent, and is not active.
  public let isDiscarded: Bool

  /// The alert's id.
  public var id: AlertID { alert.id }

  /// For previews and tests.
  public init(
    alert: Alert, stage: DeliveryStage = .saved, acceptedAt: Timestamp? = nil, isDiscarded: Bool = false
  ) {
    self.alert = alert
    self.stage = stage
    self.acceptedAt = acceptedAt
    self.isDiscarded = isDiscarded
  }

  init(_ entry: HistoryEntry) {
    self.init(
      alert: entry.alert, stage: entry.stage, acceptedAt: entry.acceptedAt, isDiscarded: entry.isDiscarded)
  }
}

extension SavedContact {
  init(_ stored: StoredContact) {
    self.init(contact: stored.contact, isPending: stored.isPending)
  }
}

/// A code on its way to a phone.
public struct SentCode: Hashable, Sendable, Identifiable {
  /// The verification's id, as the server named it.
  public let id: String
  /// E.164.
  public let phone: String
  /// By the server's clock, as the next.
  public let expiresAt: Timestamp
  /// From when on another can be asked for.
  public let resendAt: Timestamp
  /// For how long the server will send no other, counted from when this value was given: less than for a fresh code where one
  /// that is under way already is given again.
  public internal(set) var secondsUntilResend: Int

  /// For previews and tests; a code of which no server knows signs nobody in.
  public init(id: String, phone: String, expiresAt: Timestamp, resendAt: Timestamp, secondsUntilResend: Int = 60) {
    self.id = id
    self.phone = phone
    self.expiresAt = expiresAt
    self.resendAt = resendAt
    self.secondsUntilResend = secondsUntilResend
  }

  init(_ pending: PendingVerification) {
    self.init(
      id: pending.verificationID, phone: pending.phone, expiresAt: pending.expiresAt, resendAt: pending.resendAt)
  }
}

/// What one sync did.
public struct SyncResult: Hashable, Sendable {
  /// How many things the server took.
  public let pushed: Int
  /// How many changes it brought.
  public let pulled: Int
  /// What is queued here and not taken by the server yet.
  public let pending: Int
  /// What the server refused, until a person decides about it.
  public let parked: Int
  /// Why not all was sent and fetched; nil where it was. What is pending stays saved.
  public let failure: LifeSignalError?

  /// The failure's message: one line for a person; nil where all was sent and fetched.
  public var error: String? { failure?.message }

  /// For previews and tests: without arguments that of a sync that found nothing to do.
  public init(pushed: Int = 0, pulled: Int = 0, pending: Int = 0, parked: Int = 0, failure: LifeSignalError? = nil) {
    self.pushed = pushed
    self.pulled = pulled
    self.pending = pending
    self.parked = parked
    self.failure = failure
  }

  init(_ report: SyncReport) {
    self.init(
      pushed: report.pushed, pulled: report.pulled, pending: report.pending, parked: report.parked,
      failure: report.error.map { LifeSignalError($0) })
  }
}
