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

  init(_ activation: Activation) {
    alert = activation.alert
    wasActiveBefore = activation.alreadyActive
    isSpooled = activation.isSpooled
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

  init(_ status: StoreStatus) {
    alert = status.alert
    stage = status.stage
    acceptedAt = status.acceptedAt
    responders = status.responders
    safeNotices = status.safeReceipts
    sync = SyncStatus(status.sync)
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

  init(_ sync: SyncOverview) {
    pending = sync.pending
    parked = sync.parked
    lastSuccessAt = sync.lastSuccessAt
    nextAttemptAt = sync.nextAttemptAt
    lastError = sync.lastError
    isSignedIn = sync.signedIn
    isSessionExpired = sync.isSessionExpired
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

  init(_ entry: HistoryEntry) {
    alert = entry.alert
    stage = entry.stage
    acceptedAt = entry.acceptedAt
    isDiscarded = entry.isDiscarded
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
  public var id: String { pending.verificationID }
  /// E.164.
  public var phone: String { pending.phone }
  /// By the server's clock, as the next.
  public var expiresAt: Timestamp { pending.expiresAt }
  /// From when on another can be asked for.
  public var resendAt: Timestamp { pending.resendAt }

  let pending: PendingVerification
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

  init(_ report: SyncReport) {
    pushed = report.pushed
    pulled = report.pulled
    pending = report.pending
    parked = report.parked
    failure = report.error.map { LifeSignalError($0) }
  }
}
