import LocalStore
import Model
import TestSupport
import Testing
import Wire

@Suite struct `An account` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  private let other = "+12025550142"

  private func accounts() throws -> [String?] {
    try device.withConnection { connection in
      try connection.statement(
        "SELECT account_id FROM alerts UNION ALL SELECT account_id FROM pending_mutations UNION ALL SELECT account_id FROM pending_notifications UNION ALL SELECT account_id FROM contacts"
      ).rows { row in try row["account_id"] }
    }
  }

  @Test func `takes over the data from before the sign-in`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    #expect(try accounts().allSatisfy { $0 == nil })
    try store.signIn(.of(1), at: device.now)
    let account = Session.of(1).accountID.description
    #expect(try accounts().count == 5)
    #expect(try accounts().allSatisfy { $0 == account })
    #expect(try store.session() == .of(1))
    #expect(try store.status().sync.signedIn)
    _ = try store.putContact(nil, .named("Ben"), at: device.now)
    #expect(try accounts().allSatisfy { $0 == account })
  }

  @Test func `cannot sign in over another account's queue`() throws {
    try store.signIn(.of(1), at: device.now)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let error = #expect(throws: LocalStoreError.self) { try store.signIn(.of(2, phone: other), at: device.now) }
    #expect(error?.code == .anotherAccount)
    #expect(try store.session() == .of(1))
    try store.signIn(.of(1), at: device.now)
    #expect(try store.pendingCount() == 1)
  }

  /// Deletes what a salvage loses if it cannot read `sync_state`.
  private func forgetState() throws {
    try device.withConnection {
      try $0.execute("DELETE FROM sync_state WHERE key NOT IN ('device_id', 'sequence_floor')")
    }
  }

  @Test func `cannot sign in over another account's queue when the signed-in account is unknown`() throws {
    try store.signIn(.of(1), at: device.now)
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    try forgetState()
    let error = #expect(throws: LocalStoreError.self) { try store.signIn(.of(2, phone: other), at: device.now) }
    #expect(error?.code == .anotherAccount)
    try store.exchange(.routine, at: device.now)
    // Queued without an account, for account 1's alert.
    _ = try store.deactivateAlerts(at: device.now)
    #expect(throws: LocalStoreError.self) { try store.signIn(.of(2, phone: other), at: device.now) }
    #expect(try store.session() == nil)
    try store.signIn(.of(1), at: device.now)
    #expect(try store.pendingCount() == 2)
    let account = Session.of(1).accountID.description
    #expect(try accounts().allSatisfy { $0 == account })
  }

  @Test func `does not see another account's data when the signed-in account is unknown`() throws {
    try store.signIn(.of(1), at: device.now)
    let past = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    try store.exchange(.emergency, changes: [.alert(.of(past, endedAt: device.now.wall))], at: device.now)
    try store.exchange(.routine, at: device.now)
    try forgetState()
    let own = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.signIn(.of(2, phone: other), at: device.now)
    #expect(try store.contacts().isEmpty)
    #expect(try store.history(limit: 10, before: nil).entries.map(\.alert.id) == [own.id])
    #expect(try store.queue().map(\.entityID) == [EntityID(own.id), EntityID(own.id)])
    let account = Session.of(2).accountID.description
    #expect(try accounts().allSatisfy { $0 == account })
  }

  @Test func `stays the same when a restored server gives it a new id`() throws {
    try store.signIn(.of(1), at: device.now)
    let past = try store.activateAlert(AlertDraft(message: "past"), at: device.now).alert
    _ = try store.deactivateAlerts(at: device.now)
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    try store.exchange(
      .emergency, changes: [.alert(.of(past, endedAt: device.now.wall))], cursor: "c2", at: device.now)
    try store.exchange(.routine, cursor: "c3", at: device.now)
    let active = try store.activateAlert(AlertDraft(message: "now"), at: device.now).alert
    try store.markSessionExpired(refusedToken: "refresh")
    try store.signIn(.of(2, phone: Session.of(1).phone), at: device.now)
    #expect(try store.session()?.accountID == Session.of(2).accountID)
    let account = Session.of(2).accountID.description
    #expect(try accounts().allSatisfy { $0 == account })
    #expect(try store.syncState().cursor == nil)
    try store.exchange(.emergency, epoch: "two", cursor: "d1", at: device.now)
    let offered = try store.queue()
    #expect(offered.map(\.kind) == ["alert.activate", "alert.deactivate", "contact.put"])
    #expect(offered.map(\.entityID) == [EntityID(past.id), EntityID(past.id), EntityID(ana.id)])
    #expect(try store.history(limit: 10, before: nil).entries.map(\.alert.id).contains(active.id))
    #expect(try store.contacts().map(\.contact.details.name) == ["Ana"])
  }

  @Test func `does not see another account's data`() throws {
    try store.signIn(.of(1), at: device.now)
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    try store.exchange(.emergency, at: device.now)
    try store.exchange(.routine, at: device.now)
    try store.signIn(.of(2, phone: other), at: device.now)
    #expect(try store.status().alert == nil)
    #expect(try store.contacts().isEmpty)
    #expect(try store.syncState().cursor == nil)
    #expect(try store.syncState().epoch == nil)
    #expect(try store.session() == .of(2, phone: other))
  }

  @Test func `is not signed out while anything is queued, parked or not`() throws {
    let id = try store.deviceID()
    try store.signIn(.of(1), at: device.now)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    let error = #expect(throws: LocalStoreError.self) { try store.signOut(discardPending: false) }
    #expect(error?.code == .queueNotEmpty)
    #expect(try store.pendingCount() == 1)
    try store.signOut(discardPending: true)
    #expect(try store.session() == nil)
    #expect(try store.pendingCount() == 0)
    #expect(try store.contacts().isEmpty)
    #expect(try store.deviceID() == id)
    #expect(throws: LocalStoreError.self) { try store.signOut(discardPending: true) }
  }

  @Test func `leaves none of its data in the files when it is signed out`() throws {
    try store.signIn(.of(1), at: device.now)
    _ = try store.putContact(nil, .named("Canary Name"), at: device.now)
    try store.signOut(discardPending: true)
    for suffix in ["", "-wal", "-shm"] {
      let bytes = try #require(readFile(device.home.databasePath + suffix))
      #expect(!String(decoding: bytes, as: UTF8.self).contains("Canary Name"), "\(suffix)")
    }
  }

  @Test func `keeps its alert key when its session expires`() throws {
    try store.signIn(.of(1), at: device.now)
    try store.markSessionExpired(refusedToken: "refresh")
    #expect(try store.session()?.isExpired == true)
    #expect(try store.session()?.alertKey == "key")
    #expect(try !store.status().sync.signedIn)
    try store.replaceTokens("refresh", accessToken: "a2", refreshToken: "r2", expiresAt: Timestamp(milliseconds: 7))
    let session = try store.session()
    #expect(session?.accessToken == "a2")
    #expect(session?.refreshToken == "r2")
    #expect(session?.isExpired == false)
  }

  @Test func `remembers whether its session was ended or only refused`() throws {
    try store.signIn(.of(1), at: device.now)
    try store.markSessionExpired(refusedToken: "refresh")
    #expect(try store.session()?.isRevoked == false)
    try store.markSessionExpired(refusedToken: "refresh", isRevoked: true)
    #expect(try store.session()?.isExpired == true && store.session()?.isRevoked == true)
  }

  @Test func `with an expired session reports that alerts are sent only while the server accepts the alert key`() throws
  {
    try store.signIn(.of(1), at: device.now)
    try store.markSessionExpired(refusedToken: "refresh")
    #expect(try store.status().sync.isSessionExpired)
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let selection = BatchSelection(lane: .emergency, maximumItems: 50, maximumBytes: 65_536, isAlertKeyOnly: true)
    let batch = try store.nextBatch(selection)
    try store.recordFailure(
      of: batch, nextAttemptAt: device.now.wall, error: SyncFailure(.unauthorized, "ended"), at: device.now)
    #expect(try !store.status().sync.isSessionExpired && !store.status().sync.signedIn)
    #expect(try store.status().sync.isDeviceRefused)
    _ = try store.apply(.accepting(batch, cursor: ""), to: batch, at: device.now)
    #expect(try store.status().sync.isSessionExpired)
  }

  @Test func `keeps its tokens when another session's tokens are refreshed`() throws {
    let time = Timestamp(milliseconds: 1)
    #expect(try !store.replaceTokens("refresh", accessToken: "a", refreshToken: "b", expiresAt: time))
    #expect(try !store.markSessionExpired(refusedToken: "refresh"))
    #expect(try store.session() == nil)
    try store.signIn(.of(1), at: device.now)
    #expect(try !store.replaceTokens("older", accessToken: "a", refreshToken: "b", expiresAt: time))
    #expect(try !store.markSessionExpired(refusedToken: "older"))
    #expect(try store.session() == .of(1))
  }

  @Test func `ignores answers to another account's requests`() throws {
    try store.signIn(.of(1), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    try store.signOut(discardPending: false)
    let ana = try ContactRecord(details: .named("Ana"), webhookSecret: "whsec_1")
    let answer = SyncResponse.accepting(
      batch, changes: [.contact(ContactID(versionSevenAt: device.now.wall, random: (8, 8)), ana)])
    for number in [nil, 2] as [UInt64?] {
      if let number { try store.signIn(.of(number, phone: other), at: device.now) }
      let error = #expect(throws: LocalStoreError.self) { try store.apply(answer, to: batch, at: device.now) }
      #expect(error?.code == .anotherAccount)
      try store.recordFailure(
        of: batch, nextAttemptAt: device.now.wall, error: SyncFailure(.offline, "away"), at: device.now)
      #expect(try store.contacts().isEmpty)
      #expect(try store.syncState().cursor == nil)
      #expect(try store.status().sync.lastError == nil)
      #expect(try store.syncState().routine.attempts == 0)
    }
  }

  @Test func `pulls from the start when it has signed out and in again during an exchange`() throws {
    try store.signIn(.of(1), at: device.now)
    try store.exchange(.routine, cursor: "c5", at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    try store.signOut(discardPending: false)
    try store.signIn(.of(1), at: device.now)
    let applied = try store.apply(.accepting(batch, cursor: "c6"), to: batch, at: device.now)
    #expect(applied.needsPullFromStart)
    #expect(try store.syncState().cursor == nil)
  }
}
