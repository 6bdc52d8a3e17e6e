package import Model
package import Wire

/// The log of what changed in an account, from which its devices learn.
///
/// Each entity has one row, its newest change. All functions throw `StorageError`.
package protocol ChangeRecords {
  /// How far the account's counters are; zeros for an account of which nothing is known.
  func logPosition(of account: AccountID) throws(StorageError) -> LogPosition
  func setLogPosition(_ position: LogPosition, of account: AccountID) throws(StorageError)
  /// Writes the entity's newest change, in place of its older one.
  func insertChange(_ change: LoggedChange, of account: AccountID) throws(StorageError)
  /// The tag of the change at `sequence`; nil where that row was replaced or never was.
  func changeTag(at sequence: Int64, of account: AccountID) throws(StorageError) -> UInt64?
  /// Up to `limit` changes beyond `sequence`, oldest first, each with what its entity is now.
  func changes(
    of account: AccountID, after sequence: Int64, limit: Int
  ) throws(StorageError) -> [(change: LoggedChange, entity: LoggedEntity)]

  /// Notes a cursor that was handed to a device, forgetting all but its newest `count`.
  func rememberCursor(
    sequence: Int64, tag: UInt64, device: DeviceID, account: AccountID, keeping count: Int
  ) throws(StorageError)
  /// Whether this cursor was handed to any device of the account, as far as is remembered.
  func isCursorRemembered(sequence: Int64, tag: UInt64, account: AccountID) throws(StorageError) -> Bool
  /// Forgets every cursor of the account: a new epoch begins.
  func forgetCursors(of account: AccountID) throws(StorageError)

  /// The first result under this id, or nil.
  func result(of id: MutationID, account: AccountID) throws(StorageError) -> RecordedResult?
  /// Notes the first result under this id; false, and nothing is written, where there is one already.
  func insertResult(_ result: RecordedResult, of id: MutationID, account: AccountID) throws(StorageError) -> Bool
  /// Takes back what `insertResult` wrote in this transaction.
  func removeResult(of id: MutationID, account: AccountID) throws(StorageError)

  /// Notes that the device was heard of, forgetting those longest silent beyond `count`, with their cursors.
  func noteContact(
    device: DeviceID, account: AccountID, at time: Timestamp, keeping count: Int
  ) throws(StorageError)
  /// When the device was last heard of.
  func lastContact(device: DeviceID, account: AccountID) throws(StorageError) -> Timestamp?
}

/// The counters of one account.
package struct LogPosition: Sendable, Hashable {
  /// Of the newest change; 0 before the first.
  package var newestSequence: Int64
  /// Of the newest alert; 0 before the first.
  package var newestOrdinal: Int64

  package init(newestSequence: Int64 = 0, newestOrdinal: Int64 = 0) {
    self.newestSequence = newestSequence
    self.newestOrdinal = newestOrdinal
  }
}

/// What a change is about.
package struct EntityKey: Sendable, Hashable {
  /// The raw values are stored.
  package enum Kind: Int64, Sendable {
    case alert = 1
    case contact, receipt
  }

  package var kind: Kind
  package var id: EntityID

  package init(_ kind: Kind, _ id: EntityID) {
    self.kind = kind
    self.id = id
  }
}

/// One row of the log.
package struct LoggedChange: Sendable, Hashable {
  package var sequence: Int64
  /// Random: tells this change from another server's at the same sequence.
  package var tag: UInt64
  package var entity: EntityKey

  package init(sequence: Int64, tag: UInt64, entity: EntityKey) {
    self.sequence = sequence
    self.tag = tag
    self.entity = entity
  }
}

/// What a logged entity is now.
package enum LoggedEntity: Sendable, Hashable {
  case alert(AlertRecord)
  case contact(ContactID, ContactDetails)
  case receipt(Receipt)
  /// The entity is gone.
  case removed
}

/// The first result of a mutation or notification request.
package struct RecordedResult: Sendable, Hashable {
  package enum Verdict: Sendable, Hashable {
    case applied(at: Timestamp)
    case rejected(code: String, message: String)
  }

  /// Of the item's kind, entity and body: the same id with another fingerprint is another item.
  package var fingerprint: UInt64
  package var verdict: Verdict

  package init(fingerprint: UInt64, verdict: Verdict) {
    self.fingerprint = fingerprint
    self.verdict = verdict
  }
}
