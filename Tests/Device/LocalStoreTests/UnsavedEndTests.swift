import Glibc
import Model
import Testing
import Wire

@testable import LocalStore

/// The store could not save an end, which is kept in memory until the store can save it.
@Suite struct `An end in memory` {
  let device: Device
  let store: LocalStore
  let options: StoreOptions

  init() throws {
    device = Device()
    let folder = device.home.path + "/memory"
    mkdir(device.home.path, 0o700)
    try #require(mkdir(folder, 0o700) == 0)
    var options = device.options
    options.memoryFolders = [folder]
    self.options = options
    store = try LocalStore.open(device.home, options: options, at: device.now)
    try store.signIn(.of(1), at: device.now)
  }

  private var access: EmergencyAccess {
    get throws { try #require(try EmergencyAccess.read(device.home, at: device.now, random: options.random)) }
  }

  private var memory: VolatileAlerts {
    get throws {
      let access = try access
      return try #require(
        VolatileAlerts(
          device.home, device: access.deviceID, account: access.accountID, folders: options.memoryFolders))
    }
  }

  private func active() throws -> [EmergencyMessage] {
    EmergencyMessage.active(try access, device.home, try memory)
  }

  /// Ends all active alerts, without the store.
  private func end(isReceived: Bool) throws {
    for message in try active() {
      var end = message.end(at: device.now, random: options.random)
      end.isReceived = isReceived
      try #require(try memory.note(end))
    }
  }

  private func spool(_ message: String) throws -> Alert {
    try Spool.write(AlertDraft(message: message), home: device.home, random: options.random, at: device.now)
  }

  private func kinds() throws -> [String] { try store.queue().map(\.kind).filter { $0.hasPrefix("alert.") } }

  @Test(arguments: [false, true]) func `is shown before the store has it, and is stored under the same ids`(
    isReceived: Bool
  ) throws {
    let raised = try store.activateAlert(AlertDraft(), at: device.now)
    try end(isReceived: isReceived)
    let shown = try store.status()
    #expect(shown.alert?.id == raised.alert.id && shown.alert?.isActive == false)
    #expect(shown.isEndUnsent == !isReceived)
    #expect(try store.history(limit: 1, before: nil).entries.map(\.alert.isActive) == [false])
    #expect(try store.activeAlerts() == [])
    let sent = try memory.contents.ends.map(\.end.mutationID.description)
    #expect(store.takeInSpool(at: device.now))
    #expect(try kinds() == ["alert.activate", "alert.deactivate"])
    #expect(try store.queue().last?.kind == "notification.deactivated")
    #expect(try store.queue().filter { $0.kind == "alert.deactivate" }.map(\.id) == sent)
    #expect(try memory.contents.isEmpty)
  }

  @Test(arguments: [false, true]) func `ends no call for help that came after it`(isReceived: Bool) throws {
    let raised = try store.activateAlert(AlertDraft(), at: device.now)
    try end(isReceived: isReceived)
    let second = try spool("again")
    #expect(try store.status().alert?.id == second.id)
    #expect(try active().filter { $0.unsavedEnd == nil }.map(\.alert.id) == [second.id])
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.activeAlerts().map(\.id) == [second.id])
    #expect(try store.history(limit: 9, before: nil).entries.map(\.alert.id) == [second.id, raised.alert.id])
  }

  /// The disk has room for a call, but had none for the end and everything that it ends.
  @Test func `that cannot be imported now ends no new call`() throws {
    let raised = try store.activateAlert(AlertDraft(), at: device.now)
    try end(isReceived: false)
    try device.withConnection {
      try $0.execute(
        """
        CREATE TRIGGER full BEFORE INSERT ON pending_mutations WHEN new.kind = 'alert.deactivate' BEGIN
          SELECT RAISE(ABORT, 'no room');
        END
        """)
    }
    let second = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(!second.alreadyActive && !second.isSpooled)
    #expect(try store.activeAlerts() == [second.alert])
    try device.withConnection { try $0.execute("DROP TRIGGER full") }
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.activeAlerts() == [second.alert])
    #expect(try store.history(limit: 9, before: nil).entries.map(\.alert.id) == [second.alert.id, raised.alert.id])
  }

  @Test func `ends the earlier calls, which are sent before it`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    _ = try spool("it is worse")
    try end(isReceived: false)
    #expect(try store.activeAlerts() == [])
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.activeAlerts() == [])
    #expect(try kinds() == ["alert.activate", "alert.update", "alert.deactivate"])
  }

  /// Under another id, the server would treat such a call as a new call for help.
  @Test func `that the server has cancels the calls that it ended`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let press = try spool("it is worse")
    try end(isReceived: true)
    #expect(store.takeInSpool(at: device.now))
    #expect(try !kinds().contains("alert.update"))
    #expect(try store.activeAlerts() == [])
    #expect(!Spool.has(press.id, home: device.home))
  }

  /// The server reported the alert's end before the call was imported.
  @Test func `ends a further call that became an alert of its own`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let press = try spool("it is worse")
    try end(isReceived: false)
    try device.withConnection { try $0.execute("UPDATE alerts SET ended_at = started_at") }
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.activeAlerts() == [])
    let end = try store.queue().first { $0.kind == "alert.deactivate" }
    #expect(end?.entityID == EntityID(press.id))
  }

  @Test(.enabled(if: FrozenFolder.isPossible, "no folder can be frozen here"))
  func `does not hide that a new call could not be saved anywhere`() throws {
    let first = try spool("on the ridge")
    try end(isReceived: false)
    let frozen = try #require(FrozenFolder(device.home.spoolPath))
    #expect(throws: LocalStoreError.self) {
      try Spool.activate(AlertDraft(), home: device.home, options: options, at: device.now)
    }
    withExtendedLifetime(frozen) {}
    #expect(Spool.has(first.id, home: device.home))
  }

  @Test func `of an alert that was never in the store is imported with it`() throws {
    let press = try spool("on the ridge")
    try end(isReceived: false)
    #expect(try store.activeAlerts() == [])
    #expect(store.takeInSpool(at: device.now))
    let shown = try store.status()
    #expect(shown.alert?.id == press.id && shown.alert?.isActive == false && shown.isEndUnsent)
  }

  /// Its files could not be removed, or the importing process was killed first.
  @Test func `is imported once`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    try end(isReceived: false)
    let ends = try memory.contents.ends
    #expect(store.takeInSpool(at: device.now))
    let queued = try kinds()
    for (end, _) in ends { try #require(try memory.note(end)) }
    #expect(store.takeInSpool(at: device.now))
    #expect(try kinds() == queued)
    let second = try store.activateAlert(AlertDraft(), at: device.now)
    for (end, _) in ends { try #require(try memory.note(end)) }
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.activeAlerts() == [second.alert])
  }

  @Test func `blocks a sign-out that was not warned of it`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let agreement = try store.signOutAgreement(at: device.now)
    try end(isReceived: false)
    // It is imported first, and is one more unsent item.
    #expect(throws: LocalStoreError.self) { _ = try store.beginSignOut(agreement, at: device.now) }
    #expect(try store.activeAlerts() == [])
  }
}

/// Calls for help that could not be saved, and were sent from memory.
extension `An end in memory` {
  private func updates() throws -> [QueueItem] { try store.queue().filter { $0.kind == "alert.update" } }

  @Test func `or a call there has the same ids whoever sends it, and where the store takes it in`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try spool("leg broken")
    let sent = try #require(try active().first { $0.alert.id == alert.id }?.mutations)
    #expect(sent.map(\.kind) == [.activateAlert, .updateAlert])
    #expect(try active().first?.mutations == sent)
    #expect(store.takeInSpool(at: device.now))
    #expect(try updates().map(\.id) == sent.suffix(1).map(\.id.description))
    #expect(try updates().map(\.body) == sent.suffix(1).map(\.body))
  }

  /// Under its id the server takes no other words, and the first may not have come through.
  @Test func `keeps its words beside those of another one that waits`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let place = try Location(latitude: 52, longitude: 13)
    _ = try Spool.write(
      AlertDraft(message: "here", location: place), home: device.home, random: options.random, at: device.now)
    _ = try spool("leg broken")
    let sent = try #require(try active().first?.mutations.filter { $0.kind == .updateAlert })
    #expect(store.takeInSpool(at: device.now))
    #expect(try updates().map(\.id) == sent.map(\.id.description))
    #expect(try updates().map(\.body) == sent.map(\.body))
  }

  /// Sent once more it would be a new alert, after all were told that the person is safe.
  @Test(arguments: [false, true]) func `does not send again what the server has`(isEnded: Bool) throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, at: device.now)
    let press = try spool("leg broken")
    try #require(try memory.noteReceived([press.id], in: alert.id, at: SyncResponse.serverTime))
    if isEnded { try device.withConnection { try $0.execute("UPDATE alerts SET ended_at = started_at") } }
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.queue() == [])
    #expect(try store.history(limit: 9, before: nil).entries.map(\.alert.id) == [alert.id])
    #expect(try store.pressProgress(press.id)?.acceptedAt == SyncResponse.serverTime)
    #expect(try store.activeAlerts().isEmpty == isEnded)
    // The server's answer to it named no calls of other devices.
    #expect(try store.status().newestUpdate?.message == "leg broken")
    _ = try store.deactivateAlerts(at: device.now)
    #expect(
      try store.queue().filter { $0.kind == "alert.deactivate" }.allSatisfy { $0.body.contains("\"seen_updates\":[]") })
  }

  /// The server answered that the alert is over, so it has the call as another one: an end of the first does not reach that.
  @Test func `stands alone where the server has it as an alert of its own, and takes later ones`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let press = try spool("second")
    try #require(try memory.noteReceived([press.id], in: press.id, at: SyncResponse.serverTime))
    let third = try spool("third")
    let messages = try active()
    #expect(messages.map(\.alert.id) == [alert.id, press.id])
    #expect(messages.map { $0.carries(third.id) } == [false, true])
    #expect(messages.map { $0.end(at: device.now, random: options.random).alertID } == [alert.id, press.id])
    #expect(messages.last?.mutations.map(\.kind) == [.activateAlert, .updateAlert])
  }

  /// Two processes may hear at once that the alert is over.
  @Test func `becomes one alert with the same words, whoever makes it`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let standing = try #require(try active().first)
    let first = standing.calledAgain(AlertDraft(message: "old mill"), at: device.now, random: options.random)
    try #require(try memory.noteCall(of: first))
    let both = first.calledAgain(AlertDraft(message: "hurry"), at: device.now, random: options.random)
    try #require(try memory.noteCall(of: both))
    let merged = try #require(both.newestAnew)
    let alone = try #require(both.anew.last)
    try #require(merged.alert.id == alone.alert.id && merged.alert.message != alone.alert.message)
    #expect(try memory.raise(merged)?.alert == merged.alert)
    #expect(try memory.raise(alone)?.mutations == merged.mutations)
    #expect(try memory.keep(alone)?.mutations == merged.mutations)
    // As a process leaves it that ends in the middle.
    try #require(try memory.noteCall(of: both))
    let raised = try #require(try active().first { $0.alert.id == merged.alert.id })
    #expect(raised.calls.filter { $0 == merged.alert.id }.count == 1, "it is no update of itself")
  }

  @Test func `has, as an alert of its own, what the calls before it said and it leaves out`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let place = try Location(latitude: 52, longitude: 13)
    _ = try Spool.write(
      AlertDraft(message: "leg broken", location: place), home: device.home, random: options.random, at: device.now)
    let last = try Spool.write(AlertDraft(), home: device.home, random: options.random, at: device.now)
    let own = try #require(try active().first?.newestAnew)
    #expect(own.alert.id == last.id && own.alert.message == "leg broken" && own.alert.location == place)
  }
}
