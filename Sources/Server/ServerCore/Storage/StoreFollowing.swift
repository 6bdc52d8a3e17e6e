package import Model

/// What other processes of the server have changed, for the event streams of this one.
package struct OthersChanges: Sendable, Hashable {
  /// Their devices and pages would show something else.
  package var accounts: [AccountID]
  /// Their event streams end.
  package var endedSessions: [SessionID]

  package init(accounts: [AccountID] = [], endedSessions: [SessionID] = []) {
    self.accounts = accounts
    self.endedSessions = endedSessions
  }

  package var isEmpty: Bool { accounts.isEmpty && endedSessions.isEmpty }
}

/// Follows what other processes change, until it is stopped.
package protocol StoreFollower: Sendable {
  /// Returns when nothing more is told.
  func stop()
}

extension ServerStore {
  /// One process has the file to itself.
  package func follow(
    _ take: @escaping @Sendable (OthersChanges) -> Void
  ) throws(StorageError) -> (any StoreFollower)? { nil }

  package var freeBytes: UInt64? { nil }
}
