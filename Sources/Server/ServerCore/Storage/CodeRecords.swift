package import Model

/// The id of a one-time code on its way to a telephone.
package typealias CodeID = Identifier<CodeMessage>

/// The durable queue of one-time codes: at most one for each telephone.
///
/// A store only remembers: every rule is in `CodeVerdict`. All functions throw `StorageError`.
package protocol CodeRecords {
  func codeMessage(_ id: CodeID) throws(StorageError) -> StoredCode?
  /// Up to `limit` codes that are due, the longest due first. A code whose lease has ended is due. Rows that cannot be read are removed:
  /// they must not hold up others.
  func dueCodes(at now: Timestamp, limit: Int) throws(StorageError) -> [StoredCode]
  func codeQueue(at now: Timestamp) throws(StorageError) -> CodeQueue
  /// Writes `attempts`, `dueAt` and `isLeased` of the row with this id.
  func updateCode(_ code: StoredCode) throws(StorageError)
  func removeCode(_ id: CodeID) throws(StorageError)
  /// Makes all due at `now`, and ends the leases, that would be due after `latest`.
  func bringCodesForward(dueAfter latest: Timestamp, to now: Timestamp) throws(StorageError)
  /// Ends all leases of codes: what was under way is due at `now`.
  func endCodeLeases(at now: Timestamp) throws(StorageError)
}

/// A one-time code that was not sent yet. The code itself is derived when it is sent.
package struct StoredCode: Sendable, Hashable {
  /// The gateway gets it with each attempt.
  package var id: CodeID
  /// The id of its verification.
  package var verification: String
  /// E.164.
  package var phone: String
  /// Of its verification.
  package var expiresAt: Timestamp
  /// Whether somebody has signed in with it.
  package var isUsed = false
  /// How often it was claimed.
  package var attempts = 0
  /// When it may be claimed; while it is leased, when the lease ends.
  package var dueAt: Timestamp
  package var isLeased = false

  package init(id: CodeID, verification: String, phone: String, expiresAt: Timestamp, dueAt: Timestamp) {
    self.id = id
    self.verification = verification
    self.phone = phone
    self.expiresAt = expiresAt
    self.dueAt = dueAt
  }
}

/// What a claim needs to know of all codes.
package struct CodeQueue: Sendable, Hashable {
  /// How many are leased, and their leases have not ended.
  package var leasedCount = 0
  /// When the first becomes due, or its lease ends; nil if nothing waits.
  package var firstDue: Timestamp?
  /// When the first lease ends.
  package var firstLeaseEnd: Timestamp?

  package init(leasedCount: Int = 0, firstDue: Timestamp? = nil, firstLeaseEnd: Timestamp? = nil) {
    self.leasedCount = leasedCount
    self.firstDue = firstDue
    self.firstLeaseEnd = firstLeaseEnd
  }
}
