package import Model
import PlantedBugs
import SQLiteKit

extension LocalStore {
  /// Created with the store; never changes.
  package func deviceID() throws(LocalStoreError) -> DeviceID {
    try file.read { reading in
      guard let id = try reading.value(of: .deviceID).flatMap({ DeviceID($0) }) else {
        throw SQLiteError.unreadableValue(of: "device_id")
      }
      return id
    }
  }

  package func session() throws(LocalStoreError) -> Session? {
    try file.read { try $0.stateValues().session }
  }

  /// Stores the session. Rows saved before any sign-in become this account's. Another account's data is removed first;
  /// throws `anotherAccount` while its queue is not empty, and `alertActive` while the spool cannot be emptied. What
  /// waited for a sign-in is due now.
  ///
  /// The same phone number under another account id means that the server was restored to a time before it knew the
  /// number: everything stays, and is queued again.
  package func signIn(_ session: Session, at moment: Moment) throws(LocalStoreError) {
    takeInSpool(at: moment)
    try writeAndPoke { transaction in
      let account = session.accountID.description
      if try transaction.holdsOthers(than: account) {
        if try PlantedBug.accountsMixed.isPlanted || transaction.value(of: .phone) == session.phone {
          try transaction.moveRows(to: account)
        } else if try transaction.queuedByOthers(than: account) == 0 {
          try transaction.requireNothingInMemory(home, options)
          try transaction.removeOthers(than: account)
          try Spool.requireEmpty(home)
        } else {
          throw LocalStoreError(
            .anotherAccount, "another account has unsent items here: sync or discard them first")
        }
      }
      try transaction.adoptRows(for: account)
      try transaction.store(session)
      for lane in Lane.allCases { try transaction.makeDue(lane) }
    }
  }

  /// Stores the tokens that a refresh with `replaced` brought. Returns false, with nothing stored, if that is no longer
  /// the session's refresh token.
  @discardableResult
  package func replaceTokens(
    _ replaced: String, accessToken: String, refreshToken: String, expiresAt: Timestamp
  ) throws(LocalStoreError) -> Bool {
    try file.write { transaction in
      guard try transaction.value(of: .refreshToken) == replaced else { return false }
      try transaction.setValue(accessToken, for: .accessToken)
      try transaction.setValue(refreshToken, for: .refreshToken)
      try transaction.setValue(expiresAt.milliseconds, for: .accessExpiresAt)
      try transaction.setValue(nil, for: .sessionExpired)
      return true
    }
  }

  /// Records that the server rejected this refresh token. It stays, and so does the alert key. Returns false, with nothing changed, if
  /// it is no longer the session's.
  ///
  /// - Parameter isRevoked: the server said that the session was ended.
  @discardableResult
  package func markSessionExpired(refusedToken: String, isRevoked: Bool = false) throws(LocalStoreError) -> Bool {
    try file.write { transaction in
      guard try transaction.value(of: .refreshToken) == refusedToken else { return false }
      try transaction.setValue(isRevoked ? SessionMark.revoked : SessionMark.refused, for: .sessionExpired)
      return true
    }
  }

  /// The number of queued items, with the parked ones.
  package func pendingCount() throws(LocalStoreError) -> Int {
    try file.read { try $0.queueCounts().total }
  }
}

extension StoreTransaction {
  fileprivate func store(_ session: Session) throws {
    try setValue(session.accountID.description, for: .accountID)
    try setValue(session.phone, for: .phone)
    try setValue(session.accessToken, for: .accessToken)
    try setValue(session.refreshToken, for: .refreshToken)
    try setValue(session.accessExpiresAt.milliseconds, for: .accessExpiresAt)
    try setValue(session.alertKey, for: .alertKey)
    try setValue(session.expiryMark, for: .sessionExpired)
    try setValue(nil, for: .signingOut)
  }

  /// Makes all rows the account's, and makes the device pull from the start and then queue again what the server did
  /// not name. The old epoch stays: the new account's epoch differs from it, which shows what the restored server has
  /// named.
  fileprivate func moveRows(to account: String) throws {
    try run("UPDATE alerts SET account_id = ?", .text(account))
    try run("UPDATE contacts SET account_id = ?", .text(account))
    try run("UPDATE inbox SET account_id = ?", .text(account))
    try run("UPDATE pending_mutations SET account_id = ?", .text(account))
    try run("UPDATE pending_notifications SET account_id = ?", .text(account))
    for key in [StateKey.cursor, .newestCursor] { try setValue(nil, for: key) }
    try setValue("1", for: .restoring)
  }

  /// Gives the rows without an account to this one.
  func adoptRows(for account: String) throws {
    try run("UPDATE alerts SET account_id = ? WHERE account_id IS NULL", .text(account))
    try run("UPDATE contacts SET account_id = ? WHERE account_id IS NULL", .text(account))
    try run("UPDATE inbox SET account_id = ? WHERE account_id IS NULL", .text(account))
    try run("UPDATE pending_mutations SET account_id = ? WHERE account_id IS NULL", .text(account))
    try run("UPDATE pending_notifications SET account_id = ? WHERE account_id IS NULL", .text(account))
  }
}

extension Session {
  fileprivate var expiryMark: String? {
    if isRevoked { return SessionMark.revoked }
    return isExpired ? SessionMark.refused : nil
  }
}
