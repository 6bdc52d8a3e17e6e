import Glibc
import Model
import SystemKit
import TestSupport
import Testing
import Wire

@testable import LocalStore

@Suite struct `Signing out` {
  let device: Device
  let store: LocalStore
  /// The same store, as another process opens it.
  let other: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
    other = try device.open()
    try store.signIn(.of(1), at: device.now)
  }

  private func agreement() throws -> SignOutAgreement { try store.signOutAgreement(at: device.now) }

  private func begin(_ agreement: SignOutAgreement) throws -> Session {
    try store.beginSignOut(agreement, at: device.now)
  }

  private func raise() throws -> Alert { try other.activateAlert(AlertDraft(), at: device.now).alert }

  private func isRefused(_ agreement: SignOutAgreement, _ code: LocalStoreError.Code) throws {
    let queue = try store.queue()
    #expect(throws: LocalStoreError.self) { try store.checkSignOut(agreement) }
    let error = #expect(throws: LocalStoreError.self) { try begin(agreement) }
    #expect(error?.code == code)
    #expect(try store.session() == .of(1), "the session that sends it stays")
    #expect(try store.queue() == queue)
  }

  @Test func `is refused when an alert was raised since the question`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let agreement = try agreement()
    #expect(agreement.queuedIDs.count == 1 && agreement.activeAlerts.isEmpty)
    _ = try raise()
    try isRefused(agreement, .alertActive)
  }

  @Test func `is refused when an alert was raised and accepted since the question`() throws {
    let agreement = try agreement()
    _ = try raise()
    try other.exchange(.emergency, at: device.now)
    #expect(try store.pendingCount() == 0)
    try isRefused(agreement, .alertActive)
  }

  /// Otherwise the next account that signs in would own the alert.
  @Test func `leaves no spooled alert to the next account`() throws {
    let agreement = try agreement()
    let session = try begin(agreement)
    _ = try Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
    let error = #expect(throws: LocalStoreError.self) { try store.finishSignOut(of: session, agreement) }
    #expect(error?.code == .alertActive)
    store.takeInSpool(at: device.now)
    try store.finishSignOut(of: session, agreement)
    #expect(try store.queue().map(\.kind) == ["alert.activate", "notification.activated"])
    #expect(throws: LocalStoreError.self) { try store.signIn(.of(2, phone: "+12025550177"), at: device.now) }
  }

  @Test func `is refused when an alert was spooled since the question`() throws {
    let agreement = try agreement()
    _ = try Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
    #expect(throws: LocalStoreError.self) { try store.checkSignOut(agreement) }
    let error = #expect(throws: LocalStoreError.self) { try begin(agreement) }
    #expect(error?.code == .alertActive)
    #expect(try self.agreement().queuedIDs.count == 2, "the next question counts it")
  }

  /// A sign-out deletes the alert's row, which records that the file was imported.
  @Test(.enabled(if: FrozenFolder.isPossible, "needs a filesystem with attributes, and root"))
  func `is refused while an alert's file cannot be removed`() throws {
    let agreement = try agreement()
    let session = try begin(agreement)
    _ = try Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
    let frozen = try #require(FrozenFolder(device.home.spoolPath))
    #expect(store.takeInSpool(at: device.now))
    _ = try store.deactivateAlerts(at: device.now)
    for lane in [Lane.emergency, .emergency, .routine] { try store.exchange(lane, at: device.now) }
    #expect(try store.pendingCount() == 0)
    for attempt in [
      { _ = try self.agreement() }, { _ = try begin(agreement) }, { try store.checkSignOut(agreement) },
      { try store.finishSignOut(of: session, agreement) },
      { try store.signIn(.of(2, phone: "+12025550177"), at: device.now) },
    ] as [() throws -> Void] {
      let error = #expect(throws: LocalStoreError.self, performing: attempt)
      #expect(error?.code == .alertActive)
    }
    let error = #expect(throws: LocalStoreError.self) { try store.emptySpool(at: device.now) }
    #expect(error?.code == .alertActive)
    #expect(store.report.spoolRemovalError != nil, "the error has the reason")
    #expect(try store.session() == .of(1))
    frozen.thaw()
    try store.signOut(discardPending: false)
    try store.signIn(.of(2, phone: "+12025550177"), at: device.now)
    store.takeInSpool(at: device.now)
    #expect(try store.status().alert == nil, "the next account never sees it")
    #expect(try store.queue().isEmpty)
  }

  /// Another version may still read it as an alert.
  @Test func `is refused while a file in the spool cannot be read`() throws {
    let agreement = try agreement()
    let session = try begin(agreement)
    #expect(mkdir(device.home.spoolPath, 0o700) == 0)
    writeFile(Array("{".utf8), device.home.spoolPath + "/unreadable.json")
    try isRefused(agreement, .alertActive)
    #expect(throws: LocalStoreError.self) { try store.finishSignOut(of: session, agreement) }
    #expect(throws: LocalStoreError.self) { try store.signIn(.of(2, phone: "+12025550177"), at: device.now) }
    try store.signIn(.of(1), at: device.now)
    #expect(unlink(device.home.spoolPath + "/unreadable.json") == 0)
    try store.signOut(discardPending: false)
    #expect(try store.session() == nil)
  }

  /// A worker reads the spool, and is suspended before it writes until the sign-out is done.
  @Test func `is not undone by a process that read the spool earlier`() throws {
    _ = try Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
    let read = try Spool.read(device.home).alerts
    #expect(read.count == 1)
    try store.signOut(discardPending: true, at: device.now)
    try other.takeIn(read, at: device.now, until: Deadline(millisecondsFromNow: 1000))
    #expect(try other.queue().isEmpty)
    try other.signIn(.of(2, phone: "+12025550177"), at: device.now)
    #expect(try other.status().alert == nil, "the next account never sees it")
  }

  /// The session is over, whatever data is left.
  @Test func `refused after the server was told, shows the session as expired`() throws {
    let session = try begin(agreement())
    try store.keepSignedOut(session)
    #expect(try store.session()?.isExpired == true)
    try other.signIn(.of(2), at: device.now)
    try store.keepSignedOut(session)
    #expect(try store.session() == .of(2), "another account's session continues")
  }

  @Test func `is refused when anything else was queued, or retried, since the question`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    let agreement = try agreement()
    _ = try other.retry(try #require(agreement.queuedIDs.first), at: device.now)
    try isRefused(agreement, .queueNotEmpty)
    let second = try self.agreement()
    _ = try other.putContact(nil, .named("Ben"), at: device.now)
    try isRefused(second, .queueNotEmpty)
    let error = #expect(throws: LocalStoreError.self) { try begin(second.keepingQueue) }
    #expect(error?.code == .queueNotEmpty)
    #expect(try self.agreement().counts == UnsentCounts(contacts: 2))
  }

  @Test func `removes what was agreed to, and an alert that was raised meanwhile stays for the next sign-in`() throws {
    let lost = try raise()
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let agreement = try agreement()
    let session = try begin(agreement)
    let alert = try raise()
    #expect(alert != lost, "the new call does not join an alert that is about to be removed")
    #expect(try raise() == alert, "the new alert is raised once")
    try store.finishSignOut(of: session, agreement)
    #expect(try store.session() == nil)
    #expect(try store.status().alert == alert)
    #expect(try store.status().stage == .saved)
    #expect(try store.queue().map(\.kind) == ["alert.activate", "notification.activated", "alert.update"])
    #expect(try store.queue().allSatisfy { $0.entityID == EntityID(alert.id) })
    #expect(try store.history(limit: 10, before: nil).entries.map(\.alert) == [alert])
    #expect(try store.contacts().isEmpty)
    let error = #expect(throws: LocalStoreError.self) {
      try store.signIn(.of(2, phone: "+12025550142"), at: device.now)
    }
    #expect(error?.code == .anotherAccount)
    try store.signIn(.of(1), at: device.now)
    #expect(try store.exchange(.emergency, at: device.now).pushed == 3)
    #expect(try raise() == alert)
  }

  @Test func `keeps an end that was queued meanwhile, and the items before it`() throws {
    let alert = try raise()
    let agreement = try agreement()
    let session = try begin(agreement)
    #expect(try other.deactivateAlerts(at: device.now).map(\.id) == [alert.id])
    try store.finishSignOut(of: session, agreement)
    #expect(
      try store.queue().map(\.kind) == [
        "alert.activate", "notification.activated", "alert.deactivate", "notification.deactivated",
      ])
    #expect(try store.status().alert?.endedAt != nil)
  }

  @Test func `still shows an alert that was raised and accepted meanwhile`() throws {
    let agreement = try agreement()
    let session = try begin(agreement)
    let alert = try raise()
    try other.exchange(.emergency, at: device.now)
    try store.finishSignOut(of: session, agreement)
    #expect(try store.status().alert == alert)
    #expect(try store.status().stage == .accepted)
    try store.signIn(.of(2, phone: "+12025550142"), at: device.now)
    #expect(try store.status().alert == nil, "another account never sees it")
  }

  @Test func `that is cancelled leaves the device unchanged`() throws {
    let active = try raise()
    let agreement = try agreement()
    _ = try begin(agreement)
    #expect(try store.syncState().hasActiveAlert)
    try store.abandonSignOut()
    #expect(try raise() == active)
    #expect(try store.session() == .of(1))
    #expect(try store.pendingCount() == 3)
  }

  @Test func `that a crash interrupts loses nothing and can be repeated`() throws {
    let active = try raise()
    _ = try begin(agreement())
    store.close()
    other.close()
    let reopened = try device.open()
    #expect(try reopened.session() == .of(1))
    #expect(try reopened.pendingCount() == 2)
    #expect(try reopened.status().alert == active)
    _ = try reopened.markSessionExpired(refusedToken: "refresh")
    #expect(try reopened.status().sync.isSessionExpired)
    try reopened.signOut(discardPending: true)
    #expect(try reopened.session() == nil)
    #expect(try reopened.status().alert == nil)
    try reopened.signIn(.of(1), at: device.now)
    let alert = try reopened.activateAlert(AlertDraft(), at: device.now).alert
    #expect(try reopened.activateAlert(AlertDraft(), at: device.now).alert == alert)
  }

  @Test
  func `removes no data of an account that signed in meanwhile, and counts as done if another process was faster`()
    throws
  {
    let agreement = try agreement()
    let session = try begin(agreement)
    var renewed = Session.of(1)
    renewed.alertKey = "another key"
    try other.signIn(renewed, at: device.now)
    let error = #expect(throws: LocalStoreError.self) { try store.finishSignOut(of: session, agreement) }
    #expect(error?.code == .anotherAccount)
    #expect(try store.session() == renewed)
    let second = try begin(agreement)
    try other.finishSignOut(of: second, agreement)
    try store.finishSignOut(of: second, agreement)
    #expect(try store.session() == nil)
  }
}
