package import Model
import Wire

/// All that a decision changes of one account, as the rows are to be afterwards.
package struct WriteSet: Sendable {
  package var account: AccountID
  /// A new history begins: devices pull from the start, and every cursor is forgotten.
  package var epoch: String?
  package var newAlerts: [StoredAlert] = []
  /// Alerts that were stored before and read otherwise now.
  package var changedAlerts: [StoredAlert] = []
  /// Added, never changed.
  package var updates: [StoredUpdate] = []
  package var contacts: [Contact] = []
  package var removedContacts: [ContactID] = []
  /// To be done before any delivery is written.
  package var releases: [HeldRelease] = []
  package var newDeliveries: [StoredDelivery] = []
  package var changedDeliveries: [StoredDelivery] = []
  /// First results, which are new to the store.
  package var results: [(id: MutationID, result: RecordedResult)] = []
  /// The newest change of each entity, in place of its older one.
  package var changes: [LoggedChange] = []
  /// Nil where the counters stay.
  package var position: LogPosition?
  package var bucket: Bucket?
  /// Cursors that are handed to `device`.
  package var cursors: [CursorClaim] = []
  package var contact: DeviceContact?

  package init(account: AccountID) {
    self.account = account
  }

  /// Makes due what was held back while another alert was active.
  package struct HeldRelease: Sendable, Hashable {
    /// Deliveries about this alert are left as they are.
    package var exceptAlert: AlertID
    /// What is due later waits for another reason.
    package var dueUpTo: Timestamp
    package var dueAt: Timestamp
  }

  /// A token bucket, by when it is full again.
  package struct Bucket: Sendable, Hashable {
    package var key: [UInt8]
    package var fullAt: Timestamp
  }

  /// A device that was heard of.
  package struct DeviceContact: Sendable, Hashable {
    package var device: DeviceID
    package var at: Timestamp
    /// How many devices are remembered; those longest silent are forgotten, with their cursors.
    package var deviceLimit: Int
    /// How many cursors are remembered of each.
    package var cursorLimit: Int
  }
}
