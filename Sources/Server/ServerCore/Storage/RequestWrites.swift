package import Model

/// All that the decision about one request changes, as the rows are to be afterwards. A store applies it in one round trip.
package struct RequestWrites: Sendable {
  /// One for each account.
  package var accounts: [WriteSet] = []

  package var newVerification: VerificationRecord?
  /// The code of `newVerification`, or a reply to a text message, to be sent. It replaces another one to the same telephone.
  package var newCode: StoredCode?
  /// A stored one, with other `tries` or `usedAt`.
  package var changedVerification: VerificationRecord?
  /// Each adds one to its count.
  package var rateCounts: [RateCountStep] = []

  package var newAccount: AccountRecord?
  package var newSession: SessionRecord?
  package var newTokens: TokenRecord?
  /// Stored pairs, of which the four times may differ.
  package var changedTokens: [TokenRecord] = []
  /// An end that was stored before stands.
  package var endedSessions: [SessionEnd] = []

  package init() {}

  package var isEmpty: Bool {
    accounts.isEmpty && newVerification == nil && newCode == nil && changedVerification == nil && rateCounts.isEmpty
      && newAccount == nil && newSession == nil && newTokens == nil && changedTokens.isEmpty && endedSessions.isEmpty
  }
}

/// Adds one to the count under `key` that began at `start`, or begins it.
package struct RateCountStep: Sendable, Hashable {
  package var key: [UInt8]
  package var start: Timestamp
  /// The count may be removed then.
  package var expiresAt: Timestamp

  package init(key: [UInt8], start: Timestamp, expiresAt: Timestamp) {
    self.key = key
    self.start = start
    self.expiresAt = expiresAt
  }
}

/// Ends the tokens of a session, and its alert key where asked.
package struct SessionEnd: Sendable, Hashable {
  package var session: SessionID
  package var at: Timestamp
  package var endsAlertKey: Bool

  package init(_ session: SessionID, at time: Timestamp, endsAlertKey: Bool) {
    self.session = session
    at = time
    self.endsAlertKey = endsAlertKey
  }
}
