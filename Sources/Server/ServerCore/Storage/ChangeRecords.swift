package import Model
package import Wire

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
    case contact, receipt, profile, inbox
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
  case contact(ContactID, ContactDetails, [TestedChannel], [FailedChannel])
  case receipt(Receipt)
  case profile(Profile)
  case inbox(InboxAlert)
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
