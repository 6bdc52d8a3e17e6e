package import Model
import PlantedBugs
import SQLiteKit

/// What a person who signs out agrees to: that these are lost, and that these alerts stay as they are.
package struct SignOutAgreement: Hashable, Sendable {
  /// The ids of all that is queued and may be deleted, the parked too.
  package var queuedIDs: Set<String>
  /// The alerts that are active, and that this device can end no more when nobody is signed in on it.
  package var activeAlerts: Set<AlertID>
  /// The folders of damaged stores go too: they may hold the last copy of something that was never sent.
  package var removesSetAsideStores = false

  package init(queuedIDs: Set<String>, activeAlerts: Set<AlertID>, removesSetAsideStores: Bool = false) {
    self.queuedIDs = queuedIDs
    self.activeAlerts = activeAlerts
    self.removesSetAsideStores = removesSetAsideStores
  }

  /// The same without any loss of what is queued.
  package var keepingQueue: SignOutAgreement { SignOutAgreement(queuedIDs: [], activeAlerts: activeAlerts) }
}

// Signing out has three steps, since the server has to be told between two transactions, and anybody may raise an alert at
// any time:
//
// 1. `beginSignOut` takes the decision, in one transaction: there is nothing but what the person agreed to. Whoever raised
//    an alert before it keeps the session that sends it.
// 2. The server ends the session and the alert key. Where that fails, `abandonSignOut`: the device is as it was.
// 3. `finishSignOut` removes what the decision was about. What came in between was never agreed to and stays, saved and not
//    sent, for the account's next sign-in.
//
// A process that is killed between 2 and 3 leaves all data: the session shows as expired at the next exchange, and signing
// out again removes it. Where step 3 is refused, `keepSignedOut` shows that at once.
extension LocalStore {
  /// What a person has to agree to who signs out now. Throws `alertActive` where the spool cannot be emptied: signing out
  /// would be refused.
  package func signOutAgreement(at moment: Moment) throws(LocalStoreError) -> SignOutAgreement {
    try emptySpool(at: moment)
    return try file.read { connection in
      SignOutAgreement(
        queuedIDs: try connection.queuedIDs(), activeAlerts: try connection.activeAlerts(),
        removesSetAsideStores: !home.setAsideStores.isEmpty)
    }
  }

  /// Decides that the account is signed out, and gives its session. Until `finishSignOut` or `abandonSignOut` an alert that
  /// is raised is a new one: those of the agreement do not stand in for it, since they are about to be removed.
  ///
  /// Throws `notSignedIn`, `alertActive` where an alert is active that is not in the agreement or the spool cannot be
  /// emptied, and `queueNotEmpty` where anything else is queued; nothing has changed then.
  package func beginSignOut(_ agreement: SignOutAgreement, at moment: Moment) throws(LocalStoreError) -> Session {
    try emptySpool(at: moment)
    return try file.write { connection in
      guard let session = try connection.stateValues().session else {
        throw LocalStoreError(.notSignedIn, "this device is not signed in")
      }
      try Spool.requireEmpty(home)
      try connection.requireNothingInMemory(home, options)
      try connection.check(agreement)
      try connection.setValue(agreement.mark, for: .signingOut)
      return session
    }
  }

  /// Throws as `beginSignOut` where something came since: for the last look before the server is told.
  package func checkSignOut(_ agreement: SignOutAgreement) throws(LocalStoreError) {
    try file.read { connection in
      try Spool.requireEmpty(home)
      try connection.requireNothingInMemory(home, options)
      try connection.check(agreement)
    }
  }

  /// The account stays signed in after all.
  package func abandonSignOut() throws(LocalStoreError) {
    try writeAndPoke { try $0.setValue(nil, for: .signingOut) }
  }

  /// The server has ended the session, and the account's data stays here: it shows as expired, unless somebody has signed in
  /// since.
  package func keepSignedOut(_ session: Session) throws(LocalStoreError) {
    try writeAndPoke { connection in
      guard try connection.isSignedIn(session) else { return }
      try connection.setValue("1", for: .sessionExpired)
      try connection.setValue(nil, for: .signingOut)
    }
  }

  /// Forgets the session and removes the account's data from the device, but for what is queued beyond the agreement, and
  /// the alerts and contacts which that is about.
  ///
  /// Where another process was faster, there is nothing to do. Throws `anotherAccount` where somebody has signed in since,
  /// and `alertActive` where a file lies in the spool, which `takeInSpool` is to take in first: nothing is removed then.
  package func finishSignOut(of session: Session, _ agreement: SignOutAgreement) throws(LocalStoreError) {
    let volatile = try writeAndPoke { (connection) -> VolatileAlerts? in
      guard try connection.value(of: .accountID) != nil else { return nil }
      guard try connection.isSignedIn(session) else {
        throw LocalStoreError(.anotherAccount, "somebody has signed in here meanwhile")
      }
      try connection.requireNothingInMemory(home, options)
      let volatile = try connection.volatileAlerts(home, options)
      try connection.removeAccountData(agreement)
      // Last, so that as little as can be comes after it.
      try Spool.requireEmpty(home)
      return volatile
    }
    volatile?.removeAll()
    // What was removed stands in the log until that is overwritten. The sign-out itself has happened; folders that stay are
    // named by whoever called.
    try? file.emptyLog(waitMilliseconds: 5000)
    if agreement.removesSetAsideStores { try? home.removeSetAsideStores() }
  }
}

extension SignOutAgreement {
  /// For `sync_state`: the alerts' ids.
  fileprivate var mark: String { "alerts: " + activeAlerts.map(\.description).sorted().joined(separator: " ") }
}

extension Connection {
  /// Whether this is the session that is here, its tokens renewed or not.
  fileprivate func isSignedIn(_ session: Session) throws -> Bool {
    try value(of: .accountID) == session.accountID.description && value(of: .alertKey) == session.alertKey
  }

  /// A resubmission that is under way stands for all that it has not queued yet.
  fileprivate func queuedIDs() throws -> Set<String> {
    Set(
      try statement(
        """
        SELECT id FROM pending_mutations UNION ALL SELECT id FROM pending_notifications
        UNION ALL SELECT value FROM sync_state WHERE key = 'resubmission'
        """
      ).all { $0.text(0) })
  }

  fileprivate func activeAlerts() throws -> Set<AlertID> {
    let ids = try statement(
      "SELECT id FROM alerts INDEXED BY alerts_active WHERE ended_at IS NULL AND discarded_at IS NULL"
    ).all { $0.text(0) }
    return Set(ids.compactMap { AlertID($0) })
  }

  fileprivate func check(_ agreement: SignOutAgreement) throws {
    guard try activeAlerts().isSubset(of: agreement.activeAlerts) else {
      throw LocalStoreError(
        .alertActive, "an alert was raised meanwhile and is active: you are still signed in, so that it is sent")
    }
    let others = try queuedIDs().subtracting(agreement.queuedIDs).count
    guard others > 0, !PlantedBug.signOutDeletesQueue.isPlanted else { return }
    let things = others == 1 ? "1 thing" : "\(others) things"
    let verb = others == 1 ? "waits" : "wait"
    throw LocalStoreError(
      .queueNotEmpty,
      agreement.queuedIDs.isEmpty
        ? "\(things) \(verb) to be sent" : "\(things) more \(verb) to be sent than when you were asked")
  }

  /// All but the device's own id, and but for what the agreement does not know: the alerts that became active since, and the
  /// entities of which something more is queued, with all that is queued of them, so that the server can make sense of it.
  /// What is removed is overwritten in the file.
  fileprivate func removeAccountData(_ agreement: SignOutAgreement) throws {
    try keepSequences()
    let active = try activeAlerts().subtracting(agreement.activeAlerts).map(\.description)
    let queued = PlantedBug.signOutDeletesQueue.isPlanted ? [] : try entitiesQueued(beyond: agreement)
    let kept = queued.union(active)
    try setValue("kept: " + kept.sorted().joined(separator: " "), for: .signingOut)
    try execute(
      """
      PRAGMA secure_delete = ON;
      DELETE FROM pending_notifications
        WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), alert_id) = 0;
      DELETE FROM pending_mutations
        WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), entity_id) = 0;
      DELETE FROM receipts WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), alert_id) = 0;
      DELETE FROM contacts WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), id) = 0;
      DELETE FROM alerts WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), id) = 0;
      DELETE FROM presses WHERE alert_id NOT IN (SELECT id FROM alerts);
      """)
    try forgetAccountState()
  }

  private func entitiesQueued(beyond agreement: SignOutAgreement) throws -> Set<String> {
    let rows = try statement(
      "SELECT id, entity_id FROM pending_mutations UNION ALL SELECT id, alert_id FROM pending_notifications"
    ).all { (id: $0.text(0), entity: $0.text(1)) }
    return Set(rows.filter { !agreement.queuedIDs.contains($0.id) }.map(\.entity))
  }
}
