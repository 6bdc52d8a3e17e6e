package import Model

extension LocalStore {
  /// Made with the store; the same for its life.
  package func deviceID() throws(LocalStoreError) -> DeviceID { fatalError("not yet") }

  package func session() throws(LocalStoreError) -> Session? { fatalError("not yet") }

  /// Stores the session. Rows saved before any sign-in become this account's. Another account's data is removed first,
  /// or `anotherAccount` thrown while its queue is not empty.
  package func signIn(_ session: Session, at moment: Moment) throws(LocalStoreError) { fatalError("not yet") }

  /// Stores what a refresh brought. Throws `notSignedIn`.
  package func replaceTokens(
    accessToken: String, refreshToken: String, expiresAt: Timestamp
  ) throws(LocalStoreError) { fatalError("not yet") }

  /// The server refused the refresh token. The alert key stays.
  package func markSessionExpired() throws(LocalStoreError) { fatalError("not yet") }

  /// Everything queued, the parked too.
  package func pendingCount() throws(LocalStoreError) -> Int { fatalError("not yet") }

  /// Forgets the session and removes the account's data from the device. Throws `notSignedIn`, and `queueNotEmpty` while
  /// anything is queued unless `discardPending`.
  package func signOut(discardPending: Bool) throws(LocalStoreError) { fatalError("not yet") }
}
