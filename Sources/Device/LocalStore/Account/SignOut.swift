package import Model
import PlantedBugs
import SQLiteKit

/// What a person who signs out agrees to: that these items are lost, and that these alerts stay as they are.
package struct SignOutAgreement: Hashable, Sendable {
  /// The ids of the queued items that may be deleted, with the parked ones.
  package var queuedIDs: Set<String>
  /// The active alerts, which this device can no longer end once nobody is signed in on it.
  package var activeAlerts: Set<AlertID>
  /// Also remove the folders of damaged stores: they may hold the last copy of something that was never sent.
  package var removesSetAsideStores = false
  /// The queued items as people count them, to be shown to the person; it decides nothing.
  package var counts: UnsentCounts

  package init(
    queuedIDs: Set<String>, activeAlerts: Set<AlertID>, removesSetAsideStores: Bool = false,
    counts: UnsentCounts = UnsentCounts()
  ) {
    self.queuedIDs = queuedIDs
    self.activeAlerts = activeAlerts
    self.removesSetAsideStores = removesSetAsideStores
    self.counts = counts
  }

  /// The same, without losing queued items.
  package var keepingQueue: SignOutAgreement { SignOutAgreement(queuedIDs: [], activeAlerts: activeAlerts) }
}

// Signing out has three steps, since the server has to be told between two transactions, and an alert may be raised at
// any time:
//
// 1. `beginSignOut` decides, in one transaction, that there is nothing beyond what the person agreed to. An alert
//    raised before it keeps the session that sends it. 2. The server ends the session and the alert key. If that fails,
//    `abandonSignOut` leaves the device as it was. 3. `finishSignOut` removes what the decision covered. What came in
//    between was not agreed to and stays, saved and not sent, for the account's next sign-in.
//
// A process that is killed between 2 and 3 leaves all data: the next exchange shows the session as expired, and signing
// out again removes it. If step 3 is refused, `keepSignedOut` shows that at once.
extension LocalStore {
  /// What a person has to agree to who signs out now. Throws `alertActive` if the spool cannot be emptied: signing out
  /// would be refused.
  package func signOutAgreement(at moment: Moment) throws(LocalStoreError) -> SignOutAgreement {
    try emptySpool(at: moment)
    return try file.read { reading in
      let items = try reading.queuedItems()
      return SignOutAgreement(
        queuedIDs: Set(items.map(\.id)), activeAlerts: try reading.activeAlertIDs(),
        removesSetAsideStores: !home.setAsideStores.isEmpty, counts: UnsentCounts(items))
    }
  }

  /// Decides that the account is signed out, and gives its session. Until `finishSignOut` or `abandonSignOut` a press
  /// raises a new alert: it does not update one of the agreement, which is about to be removed.
  ///
  /// Throws `notSignedIn`, `alertActive` if an alert is active that is not in the agreement or the spool cannot be
  /// emptied, and `queueNotEmpty` if anything else is queued; nothing has changed then.
  package func beginSignOut(_ agreement: SignOutAgreement, at moment: Moment) throws(LocalStoreError) -> Session {
    try emptySpool(at: moment)
    return try file.write { transaction in
      guard let session = try transaction.stateValues().session else {
        throw LocalStoreError(.notSignedIn, "this device is not signed in")
      }
      try Spool.requireEmpty(home)
      try transaction.requireNothingInMemory(home, options)
      try transaction.check(agreement)
      try transaction.setValue(agreement.mark, for: .signingOut)
      return session
    }
  }

  /// Throws like `beginSignOut` if something was added since: the last check before the server is told.
  package func checkSignOut(_ agreement: SignOutAgreement) throws(LocalStoreError) {
    try file.read { reading in
      try Spool.requireEmpty(home)
      try reading.requireNothingInMemory(home, options)
      try reading.check(agreement)
    }
  }

  /// Keeps the account signed in after all.
  package func abandonSignOut() throws(LocalStoreError) {
    try writeAndPoke { try $0.setValue(nil, for: .signingOut) }
  }

  /// Shows the session as expired: the server has ended it, and the account's data stays here. Changes nothing if
  /// somebody has signed in since.
  package func keepSignedOut(_ session: Session) throws(LocalStoreError) {
    try writeAndPoke { transaction in
      guard try transaction.isSignedIn(session) else { return }
      try transaction.setValue(SessionMark.revoked, for: .sessionExpired)
      try transaction.setValue(nil, for: .signingOut)
    }
  }

  /// Removes the session and the account's data from the device, except for what is queued beyond the agreement, and
  /// the alerts and contacts that it is about.
  ///
  /// Does nothing if another process was faster. Throws `anotherAccount` if somebody has signed in since, and
  /// `alertActive` if a file is in the spool, which `takeInSpool` has to import first: nothing is removed then.
  package func finishSignOut(of session: Session, _ agreement: SignOutAgreement) throws(LocalStoreError) {
    let volatile = try writeAndPoke { (transaction) -> VolatileAlerts? in
      guard try transaction.value(of: .accountID) != nil else { return nil }
      guard try transaction.isSignedIn(session) else {
        throw LocalStoreError(.anotherAccount, "somebody has signed in here meanwhile")
      }
      try transaction.requireNothingInMemory(home, options)
      let volatile = try transaction.volatileAlerts(home, options)
      try transaction.removeAccountData(agreement)
      // Last, so that as little as possible can happen after it.
      try Spool.requireEmpty(home)
      return volatile
    }
    volatile?.removeAll()
    // The log still contains what was removed. The sign-out is done all the same; the caller reports folders that stay.
    try? file.emptyLog(waitMilliseconds: 5000)
    if agreement.removesSetAsideStores { try? home.removeSetAsideStores() }
  }
}

/// What identifies a queued item, and what it is about.
private struct QueuedID {
  let id: String
  let entity: String
  let kind: String
}

extension UnsentCounts {
  fileprivate init(_ items: some Sequence<QueuedID>) {
    self.init(items.lazy.map { (entity: $0.entity, kind: $0.kind) })
  }
}

extension SignOutAgreement {
  /// The alerts' ids, for `sync_state`.
  fileprivate var mark: String { "alerts: " + activeAlerts.map(\.description).sorted().joined(separator: " ") }
}

extension StoreReading {
  /// Whether this session, its tokens refreshed or not, is the current one.
  fileprivate func isSignedIn(_ session: Session) throws -> Bool {
    try value(of: .accountID) == session.accountID.description && value(of: .alertKey) == session.alertKey
  }

  /// Everything queued. A current resubmission stands for everything that it has not queued yet.
  fileprivate func queuedItems() throws -> [QueuedID] {
    try rows(
      """
      SELECT id, entity_id AS entity, kind FROM pending_mutations
      UNION ALL SELECT id, alert_id, 'notification.' || kind FROM pending_notifications
      UNION ALL SELECT value, value, 'resubmission' FROM sync_state WHERE key = 'resubmission'
      """
    ) { row in
      // Any text reads: a damaged row must not block the sign-out.
      QueuedID(id: try row["id"], entity: try row["entity"], kind: try row["kind"])
    }
  }

  fileprivate func activeAlertIDs() throws -> Set<AlertID> {
    let ids = try rows(
      """
      SELECT id FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL
      """
    ) { row in try row["id", as: String.self] }
    return Set(ids.compactMap { AlertID($0) })
  }

  fileprivate func check(_ agreement: SignOutAgreement) throws {
    guard try activeAlertIDs().isSubset(of: agreement.activeAlerts) else {
      throw LocalStoreError(.alertActive, "an alert was raised meanwhile: you stay signed in to send it")
    }
    let others = UnsentCounts(try queuedItems().filter { !agreement.queuedIDs.contains($0.id) })
    guard others.count > 0, !PlantedBug.signOutDeletesQueue.isPlanted else { return }
    let isSingle = others.count == 1
    throw LocalStoreError(
      .queueNotEmpty,
      agreement.queuedIDs.isEmpty
        ? "\(others.text) \(isSingle ? "is" : "are") waiting to be sent"
        : "\(others.text) \(isSingle ? "was" : "were") added since you were asked")
  }

  fileprivate func entitiesQueued(beyond agreement: SignOutAgreement) throws -> Set<String> {
    let queued = try rows(
      "SELECT id, entity_id FROM pending_mutations UNION ALL SELECT id, alert_id FROM pending_notifications"
    ) { row in (id: try row["id", as: String.self], entity: try row["entity_id", as: String.self]) }
    return Set(queued.filter { !agreement.queuedIDs.contains($0.id) }.map(\.entity))
  }
}

extension StoreTransaction {
  /// Removes everything except the device's own id and what the agreement does not cover: the alerts that became active
  /// since, and the entities with further queued items, with everything that is queued of them, so that the server can
  /// apply it. What is removed is overwritten in the file.
  fileprivate func removeAccountData(_ agreement: SignOutAgreement) throws {
    try keepSequences()
    let active = try activeAlertIDs().subtracting(agreement.activeAlerts).map(\.description)
    let queued = PlantedBug.signOutDeletesQueue.isPlanted ? [] : try entitiesQueued(beyond: agreement)
    let kept = queued.union(active)
    try setValue("kept: " + kept.sorted().joined(separator: " "), for: .signingOut)
    try run(
      script: """
        PRAGMA secure_delete = ON;
        DELETE FROM pending_notifications
          WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), alert_id) = 0;
        DELETE FROM pending_mutations
          WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), entity_id) = 0;
        DELETE FROM receipts WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), alert_id) = 0;
        DELETE FROM contacts WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), id) = 0;
        DELETE FROM inbox WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), id) = 0;
        DELETE FROM alerts WHERE instr((SELECT value FROM sync_state WHERE key = 'signing_out'), id) = 0;
        DELETE FROM presses WHERE alert_id NOT IN (SELECT id FROM alerts);
        """)
    try forgetAccountState()
  }
}
