package import Model
import PlantedBugs
import SQLiteKit

extension LocalStore {
  /// Made with the store; the same for its life.
  package func deviceID() throws(LocalStoreError) -> DeviceID {
    try file.read { connection in
      guard let id = try connection.value(of: .deviceID).flatMap({ DeviceID($0) }) else {
        throw LocalStoreError.unreadableRow
      }
      return id
    }
  }

  package func session() throws(LocalStoreError) -> Session? {
    try file.read { try $0.stateValues().session }
  }

  /// Stores the session. Rows saved before any sign-in become this account's. Another account's data is removed first,
  /// or `anotherAccount` thrown while its queue is not empty, or `alertActive` while the spool cannot be emptied. What
  /// waited for a sign-in is due at once.
  ///
  /// The same number under another account id means that the server was restored to before it knew the number: all that is
  /// here stays, and is offered to the server again.
  package func signIn(_ session: Session, at moment: Moment) throws(LocalStoreError) {
    takeInSpool(at: moment)
    try writeAndPoke { connection in
      let account = session.accountID.description
      if try connection.holdsOthers(than: account) {
        if try PlantedBug.accountsMixed.isPlanted || connection.value(of: .phone) == session.phone {
          try connection.moveRows(to: account)
        } else if try connection.queuedByOthers(than: account) == 0 {
          try connection.requireNothingInMemory(home, options)
          try connection.removeOthers(than: account)
          try Spool.requireEmpty(home)
        } else {
          throw LocalStoreError(
            .anotherAccount, "something of another account is still queued: sync it, or sign out and discard it")
        }
      }
      try connection.adoptRows(for: account)
      try connection.store(session)
      for lane in Lane.allCases { try connection.makeDue(lane) }
    }
  }

  /// Stores what a refresh with `replaced` brought. False, and nothing is stored, where that is not the session's refresh
  /// token any more.
  @discardableResult
  package func replaceTokens(
    _ replaced: String, accessToken: String, refreshToken: String, expiresAt: Timestamp
  ) throws(LocalStoreError) -> Bool {
    try file.write { connection in
      guard try connection.value(of: .refreshToken) == replaced else { return false }
      try connection.setValue(accessToken, for: .accessToken)
      try connection.setValue(refreshToken, for: .refreshToken)
      try connection.setValue(expiresAt.milliseconds, for: .accessExpiresAt)
      try connection.setValue(nil, for: .sessionExpired)
      return true
    }
  }

  /// The server refused this refresh token. The alert key stays. False, and nothing changes, where it is not the session's
  /// any more.
  @discardableResult
  package func markSessionExpired(refusedToken: String) throws(LocalStoreError) -> Bool {
    try file.write { connection in
      guard try connection.value(of: .refreshToken) == refusedToken else { return false }
      try connection.setValue("1", for: .sessionExpired)
      return true
    }
  }

  /// Everything queued, the parked too.
  package func pendingCount() throws(LocalStoreError) -> Int {
    try file.read { try $0.queueCounts().total }
  }
}

extension Connection {
  fileprivate func store(_ session: Session) throws {
    try setValue(session.accountID.description, for: .accountID)
    try setValue(session.phone, for: .phone)
    try setValue(session.accessToken, for: .accessToken)
    try setValue(session.refreshToken, for: .refreshToken)
    try setValue(session.accessExpiresAt.milliseconds, for: .accessExpiresAt)
    try setValue(session.alertKey, for: .alertKey)
    try setValue(session.isExpired ? "1" : nil, for: .sessionExpired)
    try setValue(nil, for: .signingOut)
  }

  /// Makes all rows the account's, and lets the device pull from the start and then offer what it was not named. The old
  /// epoch stays: the new account's differs from it, which tells what the restored server has named.
  fileprivate func moveRows(to account: String) throws {
    for move in [
      try statement("UPDATE alerts SET account_id = ?"),
      try statement("UPDATE contacts SET account_id = ?"),
      try statement("UPDATE pending_mutations SET account_id = ?"),
      try statement("UPDATE pending_notifications SET account_id = ?"),
    ] { try move.run(.text(account)) }
    for key in [StateKey.cursor, .newestCursor] { try setValue(nil, for: key) }
    try setValue("1", for: .restoring)
  }

  /// Makes the rows that are nobody's the account's.
  func adoptRows(for account: String) throws {
    for adopt in [
      try statement("UPDATE alerts SET account_id = ? WHERE account_id IS NULL"),
      try statement("UPDATE contacts SET account_id = ? WHERE account_id IS NULL"),
      try statement("UPDATE pending_mutations SET account_id = ? WHERE account_id IS NULL"),
      try statement("UPDATE pending_notifications SET account_id = ? WHERE account_id IS NULL"),
    ] { try adopt.run(.text(account)) }
  }
}
