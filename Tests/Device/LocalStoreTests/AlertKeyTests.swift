import LocalStore
import Model
import Testing
import Wire

/// Such an item does not move the cursor, so the cursor does not show whether the server was restored to before it.
@Suite struct `An item sent with the alert key` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
    try store.signIn(.of(1), at: device.now)
    try store.exchange(.routine, at: device.now)
  }

  private func pushByAlertKey() throws {
    let batch = try store.nextBatch(
      BatchSelection(lane: .emergency, maximumItems: 50, maximumBytes: 65_536, isAlertKeyOnly: true))
    #expect(try store.apply(.accepting(batch, cursor: ""), to: batch, at: device.now).pushed > 0)
    #expect(try store.pendingCount() == 0)
    #expect(try store.status().stage == .accepted)
  }

  @Test func `is offered again if the next pull does not name it`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    try pushByAlertKey()
    try store.exchange(.routine, hasMore: true, at: device.now)
    #expect(try store.pendingCount() == 0)
    try store.exchange(.routine, at: device.now)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(again.notifications.map(\.notice) == [.activated])
    #expect(try store.status().stage == .saved)
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    try store.exchange(.routine, at: device.now)
    #expect(try store.pendingCount() == 0)
  }

  @Test func `is not offered again if the pull names it`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try pushByAlertKey()
    try store.exchange(.routine, changes: [.alert(.of(alert))], at: device.now)
    #expect(try store.pendingCount() == 0)
    try store.exchange(.routine, at: device.now)
    #expect(try store.pendingCount() == 0)
  }

  /// As a server names it that knows of no end, with a place of another device.
  private func active(_ alert: Alert) -> Change {
    var record = AlertRecord.of(alert)
    record.newestUpdate = NewestUpdate(
      id: MutationID(versionSevenAt: alert.startedAt, random: (7, 7)), update: AlertUpdate(at: alert.startedAt))
    return .alert(record)
  }

  /// A worker that stood still has an answer from before the end, which a command has sent meanwhile.
  @Test func `that ends an alert is not taken back by news from before it`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "one"), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    let pull = try store.nextBatch(.all(.routine))
    _ = try store.deactivateAlerts(at: device.now)
    try pushByAlertKey()
    _ = try store.apply(.accepting(pull, changes: [active(alert)], cursor: "c2"), to: pull, at: device.now)
    #expect(try store.activeAlerts() == [])
    #expect(try store.pendingCount() == 0)
  }

  @Test func `that ends an alert is offered again to a restored server that has lost it`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "one"), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    try pushByAlertKey()
    for changes in [[], [active(alert)]] {
      let pull = try store.nextBatch(.all(.routine))
      _ = try store.apply(.accepting(pull, changes: changes, epoch: "two"), to: pull, at: device.now)
    }
    #expect(try store.activeAlerts() == [])
    #expect(try store.queue().map(\.kind).contains("alert.deactivate"))
  }

  @Test func `of a further call is offered again with its alert if the next pull does not name the alert`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "one"), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    _ = try store.activateAlert(AlertDraft(message: "two"), at: device.now)
    try pushByAlertKey()
    try store.exchange(.routine, at: device.now)
    #expect(try store.queue().map(\.kind) == ["alert.activate", "notification.activated", "alert.update"])
  }

  @Test func `of a further call is not offered again if the pull names it, before or after the answer`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "one"), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    for isNamedBefore in [false, true] {
      _ = try store.activateAlert(AlertDraft(message: "again \(isNamedBefore)"), at: device.now)
      var record = AlertRecord.of(alert)
      record.newestUpdate = try store.nextBatch(.all(.emergency)).mutations.last.map {
        NewestUpdate(id: $0.id, update: AlertUpdate(at: device.now.wall, message: "again \(isNamedBefore)"))
      }
      if isNamedBefore {
        let early = try store.nextBatch(.all(.routine))
        _ = try store.apply(.accepting(early, changes: [.alert(record)]), to: early, at: device.now)
        try pushByAlertKey()
        try store.exchange(.routine, at: device.now)
      } else {
        try pushByAlertKey()
        try store.exchange(.routine, changes: [.alert(record)], at: device.now)
      }
      #expect(try store.pendingCount() == 0)
    }
  }

  /// Two exchanges ran at once: the answer that accepted the alert belongs to a cursor that the store has moved past.
  @Test func `shares its rule with an item whose answer belongs to an old cursor`() throws {
    let early = try store.nextBatch(.all(.routine))
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    _ = try store.deactivateAlerts(at: device.now)
    let late = [try store.nextBatch(.all(.emergency)), try store.nextBatch(.all(.routine))]
    _ = try store.apply(.accepting(early, cursor: "c2"), to: early, at: device.now)
    for batch in late {
      #expect(try store.apply(.accepting(batch, cursor: "c3"), to: batch, at: device.now).needsPullFromStart)
    }
    // The contact's change stays queued until the server's current state has been pulled.
    #expect(try store.nextBatch(.all(.routine)).mutations.map(\.entityID) == [EntityID(ana.id)])
    // The server was restored to exactly this cursor, so its answer does not show the restore.
    try store.exchange(.routine, cursor: "c2", at: device.now)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.entityID) == [EntityID(alert.id), EntityID(alert.id)])
    #expect(again.notifications.map(\.notice) == [.activated, .deactivated])
  }

  /// The lease holder requested it, was suspended, and gets the answer after another process has sent the alert.
  @Test func `is not checked against an earlier pull`() throws {
    let early = try store.nextBatch(.all(.routine))
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try pushByAlertKey()
    _ = try store.apply(.accepting(early), to: early, at: device.now)
    #expect(try store.pendingCount() == 0)
    #expect(try store.status().stage == .accepted)
    try store.exchange(.routine, changes: [.alert(.of(alert))], at: device.now)
    #expect(try store.pendingCount() == 0)
  }

  @Test func `clears the failure of another process's attempt`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let other = try store.nextBatch(.all(.emergency))
    try pushByAlertKey()
    try store.recordFailure(
      of: other, nextAttemptAt: device.now.wall.advanced(byMilliseconds: 30_000), error: SyncFailure(.offline, "away"),
      at: device.now)
    #expect(try store.status().sync.lastError == nil)
    #expect(try store.syncState().emergency.attempts == 0)
  }

  @Test func `has its end sent to responders again, since it is unknown what they received`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    try pushByAlertKey()
    try store.exchange(.routine, at: device.now)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.activateAlert, .deactivateAlert])
    #expect(again.notifications.map(\.notice) == [.activated, .deactivated])
  }

  @Test(arguments: [true, false])
  func `is offered again if it is an end that the pull does not name`(isNamed: Bool) throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    try pushByAlertKey()
    try store.exchange(.routine, changes: isNamed ? [.alert(.of(alert))] : [], at: device.now)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.deactivateAlert])
    #expect(again.notifications.map(\.notice) == [.deactivated])
    #expect(try store.status().alert?.isActive == false)
  }

  @Test func `is not offered again if it is an end that the pull names`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let end = try store.deactivateAlerts(at: device.now).first?.endedAt
    try pushByAlertKey()
    try store.exchange(.routine, changes: [.alert(.of(alert, endedAt: end))], at: device.now)
    #expect(try store.pendingCount() == 0)
  }
}
