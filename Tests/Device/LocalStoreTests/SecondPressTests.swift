import LocalStore
import Model
import Testing
import Wire

/// A call for help while an alert is active on the device.
@Suite struct `A second press` {
  let device: Device
  let store: LocalStore
  let first: Alert

  init() throws {
    device = Device()
    (store, first) = try device.openWithAlert("one")
  }

  private func press(_ message: String? = "two", _ latitude: Double? = nil) throws -> Activation {
    let location = try latitude.map { try Location(latitude: $0, longitude: 13) }
    return try store.activateAlert(AlertDraft(message: message, location: location), at: device.now)
  }

  /// What `status` and `readiness` say too, without all the rest that they read.
  @Test func `is reported with its own stage, and with whom it may reach`() throws {
    let second = try press()
    var report = try store.pressReport(of: second)
    #expect(report.stage == .saved)
    #expect(try report.nobodyIsTold == store.status().nobodyIsTold && report.nobodyIsTold == .noResponders)
    #expect(try report.readiness == store.readiness())
    try store.exchange(.emergency, at: device.now)
    report = try store.pressReport(of: second)
    #expect(report.stage == .accepted)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    report = try store.pressReport(of: second)
    #expect(try report.nobodyIsTold == nil && report.readiness == store.readiness())
  }

  private func answer(
    _ batch: Batch, _ code: String, endedAt: Timestamp? = nil, newest: MutationID? = nil, changes: [Change] = []
  ) throws {
    var response = SyncResponse.accepting(batch, changes: changes, cursor: "c2")
    response.results = batch.mutations.prefix(1).map {
      ItemResult(
        id: $0.id.description, status: .rejected, code: code, message: "no", endedAt: endedAt, newestUpdate: newest)
    }
    _ = try store.apply(response, to: batch, at: device.now)
  }

  private func update() throws -> AlertUpdate? {
    let body = try #require(try store.queue().last { $0.kind == "alert.update" }).body
    let read = try Mutation.Change.read(
      kind: .updateAlert, occurredAt: first.startedAt, body: JSONDocument(Array(body.utf8)).root)
    guard case .success(.updateAlert(let update)) = read else { return nil }
    return update
  }

  @Test func `does not count as received before the server has it`() throws {
    #expect(try store.status().stage == .accepted)
    let second = try press()
    #expect(try store.status().stage == .saved)
    #expect(try store.pressProgress(second.press) == PressProgress(alertID: first.id, acceptedAt: nil))
    try store.exchange(.emergency, at: device.now)
    #expect(try store.status().stage == .accepted)
    #expect(try store.pressProgress(second.press)?.acceptedAt == SyncResponse.serverTime)
  }

  @Test func `is measured from its own time once the server has it`() throws {
    #expect(try store.status().newestPressAt == nil)
    let pressedAt = device.now.wall.advanced(byMilliseconds: 1000)  // the clock goes on by a second at each read
    _ = try press()
    #expect(try store.status().newestPressAt == nil)
    try store.exchange(.emergency, at: device.now)
    #expect(try store.status().newestPressAt == pressedAt)
    #expect(pressedAt > first.startedAt)
  }

  @Test func `is not shown as received if the alert has ended since`() throws {
    _ = try press()
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try store.status().stage == .saved && store.status().acceptedAt == nil)
    try store.exchange(.emergency, at: device.now)
    #expect(try store.status().stage == .accepted)
  }

  @Test func `becomes its own alert as soon as the other one is known to have ended`() throws {
    let second = try press("two", 52)
    let ended = first.startedAt.advanced(byMilliseconds: 5000)
    try answer(try store.nextBatch(.all(.emergency)), ItemResult.alertEnded, endedAt: ended)
    let status = try store.status()
    #expect(status.alert?.id == second.press && status.alert?.isActive == true && status.stage == .saved)
    #expect(status.alert?.message == "two" && status.alert?.location?.latitude == 52)
    #expect(try store.queue().map(\.kind) == ["alert.activate", "notification.activated"])
    let entries = try store.history(limit: 9, before: nil).entries
    #expect(entries.map(\.alert.id) == [second.press, first.id] && entries.last?.alert.endedAt == ended)
    #expect(try store.pressProgress(second.press) == PressProgress(alertID: second.press, acceptedAt: nil))
    try store.exchange(.emergency, at: device.now)
    #expect(try store.pressProgress(second.press)?.acceptedAt != nil)
  }

  @Test(arguments: ["unknown_kind", "unknown_alert", "invalid_body", "anything"])
  func `is never parked, whatever the server answers`(_ code: String) throws {
    let second = try press()
    try answer(try store.nextBatch(.all(.emergency)), code)
    #expect(try store.syncState().parked == 0)
    #expect(try store.history(limit: 9, before: nil).entries.first?.alert.id == second.press)
    #expect(try store.status().stage == .saved)
  }

  @Test func `shows an active alert while the other one has ended and its own outcome is unknown`() throws {
    let second = try press()
    let ended = AlertRecord.of(first, endedAt: first.startedAt.advanced(byMilliseconds: 9))
    var pull = try store.nextBatch(.all(.routine))
    pull.mutations = []
    _ = try store.apply(.accepting(pull, changes: [.alert(ended)], cursor: "c2"), to: pull, at: device.now)
    #expect(try store.status().alert?.isActive == true && store.status().stage == .saved)
    // The server got the press before the end.
    let batch = try store.nextBatch(.all(.emergency))
    var response = SyncResponse.accepting(batch, cursor: "c3")
    response.results = batch.mutations.map {
      ItemResult(id: $0.id.description, status: .duplicate, appliedAt: SyncResponse.serverTime)
    }
    _ = try store.apply(response, to: batch, at: device.now)
    #expect(try store.status().alert?.endedAt == first.startedAt.advanced(byMilliseconds: 9))
    #expect(try store.pressProgress(second.press)?.alertID == first.id)
    #expect(try store.history(limit: 9, before: nil).entries.count == 1)
  }

  @Test func `without words takes the place of the one that waits, with its words and the newest location`() throws {
    _ = try press("two", 1)
    _ = try press("three")
    _ = try press(nil)
    #expect(try store.queue().map(\.kind) == ["alert.update", "alert.update"])
    #expect(try update()?.message == "three" && update()?.location?.latitude == 1)
    _ = try press(nil, 2)
    #expect(try store.queue().map(\.kind) == ["alert.update", "alert.update"])
    #expect(try update()?.message == "three" && update()?.location?.latitude == 2)
  }

  @Test func `that is replaced while it is being sent gets the outcome of its replacement`() throws {
    let second = try press("two")
    let sent = try store.nextBatch(.all(.emergency))
    let third = try press("two", 1)
    try answer(sent, ItemResult.alertEnded, endedAt: first.startedAt)
    #expect(try store.queue().map(\.kind) == ["alert.update"])
    try answer(try store.nextBatch(.all(.emergency)), ItemResult.alertEnded, endedAt: first.startedAt)
    #expect(try store.history(limit: 9, before: nil).entries.count == 2)
    #expect(try store.pressProgress(second.press)?.alertID == third.press)
    #expect(try store.status().alert?.message == "two")
  }

  @Test func `that was then ended here is sent with its end`() throws {
    let second = try press()
    let moment = device.now
    _ = try store.deactivateAlerts(at: moment)
    try answer(try store.nextBatch(.all(.emergency)), ItemResult.alertEnded, endedAt: first.startedAt)
    let entry = try #require(try store.history(limit: 9, before: nil).entries.first)
    #expect(entry.alert.id == second.press && entry.alert.endedAt == moment.wall)
    let queued = try store.queue().filter { $0.entityID == EntityID(second.press) }.map(\.kind)
    #expect(
      queued == ["alert.activate", "notification.activated", "alert.deactivate", "notification.deactivated"])
    #expect(try store.status().alert?.isActive == false)
  }

  @Test func `in the spool joins the active alert, and is imported once`() throws {
    let pressed = try Spool.activate(
      AlertDraft(message: "apart"), home: device.home, options: device.options, at: device.now)
    #expect(try store.status().stage == .saved)
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.queue().map(\.kind) == ["alert.update"])
    #expect(try store.pressProgress(pressed.press)?.alertID == first.id)
    #expect(try store.status().alert?.id == first.id)
    #expect(try store.history(limit: 9, before: nil).entries.count == 1)
  }

  @Test func `and a third in the spool become one alert if none is active`() throws {
    _ = try store.deactivateAlerts(at: device.now)
    for message in ["two", "three", "four"] {
      _ = try Spool.activate(
        AlertDraft(message: message), home: device.home, options: device.options, at: device.now)
    }
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.history(limit: 9, before: nil).entries.filter(\.alert.isActive).map(\.alert.message) == ["two"])
    #expect(try store.status().newestUpdate?.message == "four")
  }

  private func pressApart(_ message: String, wall: Int64, monotonic: Int64, boot: String?) throws {
    let wall = device.now.wall.advanced(byMilliseconds: wall)
    _ = try Spool.activate(
      AlertDraft(message: message), home: device.home, options: device.options,
      at: Moment(wall: wall, monotonicMilliseconds: monotonic, boot: boot))
  }

  @Test func `in the spool is the newest even if the clock was set back before it`() throws {
    try pressApart("two", wall: 0, monotonic: 1000, boot: "now")
    try pressApart("three", wall: -3_600_000, monotonic: 2000, boot: "now")
    #expect(store.takeInSpool(at: device.now))
    #expect(try update()?.message == "three")
  }

  @Test func `in the spool is ordered by its boot, and within a boot by the monotonic clock`() throws {
    try pressApart("five", wall: 60_000, monotonic: 200, boot: "later")
    try pressApart("four", wall: 120_000, monotonic: 100, boot: "later")
    try pressApart("three", wall: 30_000, monotonic: 900_000, boot: "earlier")
    try pressApart("two", wall: -3_600_000, monotonic: 800_000, boot: "earlier")
    #expect(store.takeInSpool(at: device.now))
    #expect(try update()?.message == "five")
  }

  /// Files of an older version name no boot.
  @Test func `in the spool is the newest by the wall clock if no boot is known`() throws {
    try pressApart("three", wall: 60_000, monotonic: 1000, boot: nil)
    try pressApart("two", wall: 0, monotonic: 2000, boot: nil)
    #expect(store.takeInSpool(at: device.now))
    #expect(try update()?.message == "three")
  }

  @Test func `for a drill adds nothing to a real alert`() throws {
    let drill = try store.activateAlert(AlertDraft(message: "only a test", isDrill: true), at: device.now)
    #expect(drill.alreadyActive && drill.alert.id == first.id)
    #expect(try store.pendingCount() == 0)
  }

  @Test func `on another device cancels an end that was made without seeing it`() throws {
    _ = try store.deactivateAlerts(at: device.now)
    let newest = MutationID(versionSevenAt: first.startedAt, random: (7, 7))
    try answer(try store.nextBatch(.all(.emergency)), ItemResult.newerCallForHelp, newest: newest)
    let status = try store.status()
    #expect(status.alert?.id == first.id && status.alert?.isActive == true)
    #expect(try store.pendingCount() == 0 && store.syncState().parked == 0)
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try store.queue().first?.body.contains("\"seen_updates\":[\"\(newest)\"]") == true)
  }

  /// The first alert, as a pull tells of it after another device called for help in it.
  private func calledElsewhere(_ number: UInt64, _ message: String) -> Change {
    var record = AlertRecord.of(first)
    record.newestUpdate = NewestUpdate(
      id: MutationID(versionSevenAt: first.startedAt, random: (number, number)),
      update: AlertUpdate(at: first.startedAt, message: message))
    return .alert(record)
  }

  @Test func `on another device leaves alone an end that was made since the server was asked for news`() throws {
    // Its process stands still until after the end; a command beside it sends alerts alone, and moves no cursor.
    let pull = try store.nextBatch(.all(.routine))
    let beside = BatchSelection(lane: .emergency, maximumItems: 100, maximumBytes: 1 << 20, isAlertKeyOnly: true)
    _ = try store.deactivateAlerts(at: device.now)
    let newest = MutationID(versionSevenAt: first.startedAt, random: (8, 8))
    try answer(try store.nextBatch(beside), ItemResult.newerCallForHelp, newest: newest)
    _ = try store.deactivateAlerts(at: device.now)
    let end = try #require(try store.queue().first)
    let answer = SyncResponse.accepting(pull, changes: [calledElsewhere(7, "it is worse")], cursor: "c3")
    #expect(try store.apply(answer, to: pull, at: device.now).pulled == 1)
    #expect(try store.status().alert?.isActive == false)
    #expect(try store.queue().first?.id == end.id)
  }

  /// Damage has taken the alert, or the words of the call.
  @Test(arguments: ["DELETE FROM alerts", "UPDATE pending_mutations SET body = '{' WHERE kind = 'alert.update'"])
  func `that the server refuses is raised whatever else of it is lost`(damage: String) throws {
    let second = try press("two")
    try device.withConnection { try $0.execute("PRAGMA foreign_keys = OFF; \(damage)") }
    try answer(try store.nextBatch(.all(.emergency)), ItemResult.alertEnded, endedAt: first.startedAt)
    let raised = try #require(try store.queue().first { $0.kind == "alert.activate" })
    #expect(raised.entityID == EntityID(second.press))
    #expect(try store.activeAlerts().map(\.id) == [second.press])
  }

  /// The row of the alert itself is whole.
  @Test func `sends an alert whose queued body is damaged`() throws {
    _ = try store.deactivateAlerts(at: device.now)
    try store.exchange(.emergency, at: device.now)
    let raised = try store.activateAlert(AlertDraft(message: "help"), at: device.now)
    let body = try #require(try store.queue().first { $0.kind == "alert.activate" }).body
    try device.withConnection {
      try $0.execute("UPDATE pending_mutations SET body = '{\"started_at' WHERE kind = 'alert.activate'")
    }
    let batch = try store.nextBatch(.all(.emergency))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    _ = try store.activateAlert(AlertDraft(message: "again"), at: device.now)
    let repaired = try #require(try store.nextBatch(.all(.emergency)).mutations.first)
    #expect(repaired.entityID == EntityID(raised.alert.id) && repaired.body == body)
  }

  /// What is newest in the server's record may be a mere place, which takes back no end.
  @Test func `on another device reopens an alert that was ended here without seeing it, when the server says so`()
    throws
  {
    _ = try store.deactivateAlerts(at: device.now)
    var pull = try store.nextBatch(.all(.routine))
    pull.mutations = []
    let news = SyncResponse.accepting(pull, changes: [calledElsewhere(7, "it is worse")], cursor: "c2")
    _ = try store.apply(news, to: pull, at: device.now)
    #expect(try store.status().alert?.isActive == false)
    #expect(try store.queue().map(\.kind) == ["alert.deactivate", "notification.deactivated"])
    let newest = MutationID(versionSevenAt: first.startedAt, random: (7, 7))
    try answer(try store.nextBatch(.all(.emergency)), ItemResult.newerCallForHelp, newest: newest)
    #expect(try store.status().alert?.isActive == true)
    #expect(try store.status().newestUpdate?.message == "it is worse")
    #expect(try store.pendingCount() == 0)
  }

  /// Which calls of other devices came before it, the answer to an emergency does not say.
  @Test(arguments: [false, true], [false, true])
  func `counts as having seen those of other devices only where nothing is left to pull`(
    hasMore: Bool, knowsAnother: Bool
  ) throws {
    let other = MutationID(versionSevenAt: first.startedAt, random: (7, 7))
    if knowsAnother {
      let pull = try store.nextBatch(.all(.routine))
      let news = SyncResponse.accepting(pull, changes: [calledElsewhere(7, "it is worse")], cursor: "c1")
      _ = try store.apply(news, to: pull, at: device.now)
    }
    _ = try press("two")
    let own = try #require(try store.nextBatch(.all(.emergency)).mutations.first).id
    try store.exchange(.emergency, hasMore: hasMore, at: device.now)
    #expect(try store.status().newestUpdate?.message == "two")
    _ = try store.deactivateAlerts(at: device.now)
    let end = try #require(try store.queue().first { $0.kind == "alert.deactivate" })
    let seen = hasMore ? knowsAnother ? "\"\(other)\"" : "" : "\"\(own)\""
    #expect(end.body.contains("\"seen_updates\":[\(seen)]"))
  }

  @Test func `is offered again with its alert to a server that has lost both`() throws {
    _ = try press("two")
    try store.exchange(.emergency, at: device.now)
    var pull = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(pull, epoch: "two"), to: pull, at: device.now)
    pull = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(pull, epoch: "two"), to: pull, at: device.now)
    #expect(
      try store.queue().map(\.kind) == ["alert.activate", "notification.activated", "alert.update"])
    #expect(try update()?.message == "two")
  }

  @Test(arguments: [false, true])
  func `is offered again to a server that lost only it, under its own id`(hasMore: Bool) throws {
    _ = try press("two")
    let id = try #require(try store.nextBatch(.all(.emergency)).mutations.last).id
    try store.exchange(.emergency, hasMore: hasMore, at: device.now)
    var pull = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(pull, epoch: "two"), to: pull, at: device.now)
    pull = try store.nextBatch(.all(.routine))
    _ = try store.apply(
      .accepting(pull, changes: [.alert(.of(first))], epoch: "two"), to: pull, at: device.now)
    #expect(try store.nextBatch(.all(.emergency)).mutations.map(\.id) == [id])
    #expect(try update()?.message == "two")
  }

  /// The server was restored to before the press, so the newest call that it knows is the other device's.
  @Test(arguments: [false, true])
  func `keeps its message and its id when an end is cancelled for another call`(_ isAlertLost: Bool) throws {
    _ = try press("two")
    let id = try #require(try store.nextBatch(.all(.emergency)).mutations.last).id
    try store.exchange(.emergency, at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    let other = MutationID(versionSevenAt: first.startedAt, random: (7, 7))
    try answer(try store.nextBatch(.all(.emergency)), ItemResult.newerCallForHelp, newest: other)
    #expect(try store.status().newestUpdate?.message == "two")
    var pull = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(pull, epoch: "two"), to: pull, at: device.now)
    pull = try store.nextBatch(.all(.routine))
    var record = AlertRecord.of(first)
    record.newestUpdate = NewestUpdate(id: other, update: AlertUpdate(at: first.startedAt, message: "other"))
    _ = try store.apply(
      .accepting(pull, changes: isAlertLost ? [] : [.alert(record)], epoch: "two"), to: pull, at: device.now)
    let offered = try store.nextBatch(.all(.emergency)).mutations
    let kinds: [Mutation.Kind] = isAlertLost ? [.activateAlert, .updateAlert] : [.updateAlert]
    #expect(offered.map(\.kind) == kinds)
    #expect(offered.last?.id == id)
    #expect(try update()?.message == "two")
  }

  @Test func `leaves no data when its account signs out`() throws {
    _ = try press("two")
    try store.signOut(discardPending: true)
    let left = try device.withConnection { try $0.statement("SELECT count(*) FROM presses").value() as Int? }
    #expect(left == 0)
  }
}

@Suite struct `A discarded end` {
  @Test func `is reported, and sent again by ending once more`() throws {
    let device = Device()
    let store = try device.open()
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    let end = try #require(try store.queue().first { $0.kind == "alert.deactivate" })
    _ = try store.discard(end.id, at: device.now)
    #expect(try store.discardedEnds().map(\.id) == [alert.id])
    #expect(try store.deactivateAlerts(at: device.now) == [])
    #expect(try store.queue().map(\.kind) == ["alert.deactivate", "notification.deactivated"])
    #expect(try store.discardedEnds().isEmpty)
  }
}
