package import Model

/// The id of a one-time code on its way to a telephone.
package typealias CodeID = Identifier<CodeMessage>

/// The durable queue of one-time codes, and of replies to text messages: at most one of each for each telephone.
///
/// A store only remembers: every rule is in `CodeVerdict`. All functions throw `StorageError`.
package protocol CodeRecords {
  func codeMessage(_ id: CodeID) throws(StorageError) -> StoredCode?
  /// Whether this process claimed it last.
  func isClaimedHere(_ id: CodeID) throws(StorageError) -> Bool
  /// Up to `limit` codes that are due, the longest due first. A code whose lease has ended is due. Rows that cannot be read are removed:
  /// they must not hold up others.
  func dueCodes(at now: Timestamp, limit: Int) throws(StorageError) -> [StoredCode]
  /// Writes `attempts`, `dueAt` and `isLeased` of the row with this id.
  func updateCode(_ code: StoredCode) throws(StorageError)
  func removeCode(_ id: CodeID) throws(StorageError)
  /// Makes all due at `now`, and ends the leases, that would be due after `latest`.
  func bringCodesForward(dueAfter latest: Timestamp, to now: Timestamp) throws(StorageError)
  /// Ends all leases of codes: what was under way is due at `now`.
  func endCodeLeases(at now: Timestamp) throws(StorageError)
}

/// A one-time code, or a reply to a text message, that was not sent yet. What it says is derived when it is sent.
package struct StoredCode: Sendable, Hashable {
  package enum Content: Sendable, Hashable {
    /// The code of the verification with this id.
    case code(verification: String)
    case reply(StoredReply)
  }

  /// The gateway gets it with each attempt.
  package var id: CodeID
  package var content: Content
  /// E.164.
  package var phone: String
  /// Of a code: that of its verification.
  package var expiresAt: Timestamp
  /// Whether somebody has signed in with it.
  package var isUsed = false
  /// How often it was claimed.
  package var attempts = 0
  /// When it may be claimed; while it is leased, when the lease ends.
  package var dueAt: Timestamp
  package var isLeased = false

  package init(id: CodeID, _ content: Content, phone: String, expiresAt: Timestamp, dueAt: Timestamp) {
    self.id = id
    self.content = content
    self.phone = phone
    self.expiresAt = expiresAt
    self.dueAt = dueAt
  }

  package var isReply: Bool {
    if case .reply = content { true } else { false }
  }
}

/// A reply to a responder's text message, without its text.
package struct StoredReply: Sendable, Hashable {
  /// Whose answer it is to, about which alert.
  package struct Subject: Sendable, Hashable {
    package var account: AccountID
    package var alert: AlertID
    package var contact: ContactID

    package init(account: AccountID, alert: AlertID, contact: ContactID) {
      self.account = account
      self.alert = alert
      self.contact = contact
    }
  }

  package var kind: AnswerReply
  /// Nil where nobody knows: for a text without a code, or with a wrong one.
  package var about: Subject?

  package init(_ kind: AnswerReply, about: Subject?) {
    self.kind = kind
    self.about = about
  }
}

/// What a claim needs to know of all codes.
package struct CodeQueue: Sendable, Hashable {
  /// How many are leased, and their leases have not ended.
  package var leasedCount = 0
  /// When the first becomes due, or its lease ends; nil if nothing waits.
  package var firstDue: Timestamp?
  /// When the last one does.
  package var lastDue: Timestamp?
  /// When the first lease ends.
  package var firstLeaseEnd: Timestamp?

  package init(
    leasedCount: Int = 0, firstDue: Timestamp? = nil, lastDue: Timestamp? = nil, firstLeaseEnd: Timestamp? = nil
  ) {
    self.leasedCount = leasedCount
    self.firstDue = firstDue
    self.lastDue = lastDue
    self.firstLeaseEnd = firstLeaseEnd
  }
}
