package import Model
import Wire

/// Everything that a decision changes of one account: the rows as they will be.
package struct WriteSet: Sendable {
  package var account: AccountID
  /// Starts a new history: devices pull from the start, and every cursor is forgotten.
  package var epoch: String?
  package var newAlerts: [StoredAlert] = []
  /// Stored alerts that changed.
  /// None that has ended becomes active again: stores look for active ones behind those that ended.
  package var changedAlerts: [StoredAlert] = []
  /// Only ever added.
  package var updates: [StoredUpdate] = []
  package var contacts: [Contact] = []
  package var removedContacts: [ContactID] = []
  /// The tested channels of contacts that are stored, or are among `contacts`: all of each.
  package var tested: [ContactID: [TestedChannel]] = [:]
  /// The failed channels of such contacts: all of each.
  package var failed: [ContactID: [FailedChannel]] = [:]
  /// Nil if it stays.
  package var profile: Profile?
  /// Applied before any delivery is written.
  package var releases: [HeldRelease] = []
  package var newDeliveries: [StoredDelivery] = []
  package var changedDeliveries: [StoredDelivery] = []
  /// The links and the codes in messages. Those that are kept already stay as they are.
  package var pageLinks: [PageLink] = []
  package var answerLinks: [AnswerLink] = []
  /// Each replaces an earlier one of the same responder to the same alert.
  package var responses: [StoredResponse] = []
  /// There may be none.
  package var removedResponses: Set<AlertContact> = []
  /// Each replaces an earlier one of the same id.
  package var inbox: [StoredInboxAlert] = []
  package var removedInbox: [InboxID] = []
  /// Alerts of the account that are to be written into the inboxes of their responders, after this. The store marks those for which there
  /// is one: of a responder who has an account, or where the alert stands already.
  package var inboxDue: [AlertID] = []
  /// First results; the store has none under these ids.
  package var results: [(id: MutationID, result: RecordedResult)] = []
  /// The newest change of each entity. It replaces an older one.
  package var changes: [LoggedChange] = []
  /// That of the newest change and of the newest alert; nil if these stay. A store may keep it by them alone.
  package var position: LogPosition?
  package var bucket: AlertBucket?
  /// Cursors that are given to the device of `contact`.
  package var cursors: [CursorClaim] = []
  package var contact: DeviceContact?

  package init(account: AccountID) {
    self.account = account
  }

  /// Makes deliveries due that were held while another alert was active.
  package struct HeldRelease: Sendable, Hashable {
    /// Deliveries about this alert stay as they are.
    package var exceptAlert: AlertID
    /// Deliveries that are due later wait for another reason, and stay.
    package var dueUpTo: Timestamp
    package var dueAt: Timestamp

    package init(exceptAlert: AlertID, dueUpTo: Timestamp, dueAt: Timestamp) {
      self.exceptAlert = exceptAlert
      self.dueUpTo = dueUpTo
      self.dueAt = dueAt
    }
  }

  /// A bucket of new alerts, see `AlertAllowance`. A session has one for its tokens and one for its alert key.
  package struct AlertBucket: Sendable, Hashable {
    package var session: SessionID
    package var isOfAlertKey: Bool
    package var fullAt: Timestamp

    package init(session: SessionID, isOfAlertKey: Bool, fullAt: Timestamp) {
      self.session = session
      self.isOfAlertKey = isOfAlertKey
      self.fullAt = fullAt
    }
  }

  /// A contact with a device.
  package struct DeviceContact: Sendable, Hashable {
    package var device: DeviceID
    package var at: Timestamp
    /// How many devices are remembered. Those with the oldest contact are forgotten, with their cursors.
    package var deviceLimit: Int
    /// How many cursors are remembered for each device.
    package var cursorLimit: Int

    package init(device: DeviceID, at time: Timestamp, deviceLimit: Int, cursorLimit: Int) {
      self.device = device
      at = time
      self.deviceLimit = deviceLimit
      self.cursorLimit = cursorLimit
    }
  }
}
