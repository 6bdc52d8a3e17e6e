import LocalStore
import Model
import Wire

/// What a person and the worker do on a device, in an order that reaches every writing call of the store.
enum DeviceScript {
  struct Step: Sendable {
    var name: String
    var body: @Sendable (LocalStore, StepRandom) throws -> StepEnd

    init(_ name: String, _ body: @escaping @Sendable (LocalStore, StepRandom) throws -> StepEnd) {
      self.name = name
      self.body = body
    }
  }

  /// The step's work is already done, so nobody calls the store and nobody is told anything.
  struct NothingToDo: Error {}

  /// All steps have the same time, so that an alert taken in later gives the same rows as one saved at once.
  static let moment = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), monotonicMilliseconds: 5000)

  static let steps: [Step] = raising + contacts + refusals + pulls + restoredServer + leaving

  private static let raising = [
    raise("raise an alert", AlertDraft(message: "help")),
    put("add Eve", "Eve"),
    commit("end the alert") { _ = try $0.deactivateAlerts(at: moment) },
    commit("sign in") { try $0.signIn(session(1), at: moment) },
    commit("apply the answer for the alert, with the contact Eve") { try exchange($0, .emergency, cursor: "c1") },
    put("add Ana", "Ana"),
    put("add Ben", "Ben"),
    commit("fail to send the contacts") { store in
      try store.recordFailure(
        of: try store.nextBatch(.everything(.routine)), nextAttemptAt: moment.wall.advanced(byMilliseconds: 5000),
        error: SyncFailure(.offline, "no network"), at: moment)
    },
    commit("make them due") { try $0.makeDue(lane: .routine) },
  ]

  private static let contacts = [
    commit("refuse Ana") { store in
      let batch = try store.nextBatch(.everything(.routine))
      _ = try store.apply(try .refusing(.putContact, of: batch, cursor: "c2"), to: batch, at: moment)
    },
    commit("retry Ana") { store in
      guard let item = try store.queue().first(where: { $0.parked != nil }) else { throw NothingToDo() }
      _ = try store.retry(item.id, at: moment)
    },
    commit("change Ben") { store in
      guard let ben = try store.contacts().first(where: { $0.contact.details.name == "Ben" }) else {
        throw NothingToDo()
      }
      _ = try store.putContact(ben.contact.id, try details("Ben the second"), at: moment)
    },
    commit("remove Ana") { store in
      guard let ana = try store.contacts().first(where: { $0.contact.details.name == "Ana" }) else {
        throw NothingToDo()
      }
      _ = try store.removeContact(ana.contact.id, at: moment)
    },
    commit("discard the removal") { store in
      guard let item = try store.queue().last(where: { $0.kind == "contact.remove" }) else { throw NothingToDo() }
      _ = try store.discard(item.id, at: moment)
    },
  ]

  private static let refusals = [
    commit("refresh the tokens") {
      _ = try $0.replaceTokens(
        "refresh 1", accessToken: "access 2", refreshToken: "refresh 2",
        expiresAt: moment.wall.advanced(byMilliseconds: 3_600_000))
    },
    raise("raise a drill", AlertDraft(message: "only a drill", isDrill: true)),
    commit("park the drill") { store in
      let batch = try store.nextBatch(.everything(.emergency))
      _ = try store.apply(try .refusing(.activateAlert, of: batch, cursor: "c3"), to: batch, at: moment)
    },
    Step("save an alert in the spool") { store, random in
      _ = try Spool.write(AlertDraft(message: "spooled"), home: store.home, random: { random.next() }, at: moment)
      return .setDown
    },
    commit("take in the spool") { store in
      store.takeInSpool(at: moment)
      if let error = store.report.spoolError { throw LocalStoreError(.inputOutput, error) }
    },
    commit("end both") { _ = try $0.deactivateAlerts(at: moment) },
  ]

  private static let pulls = [
    commit("apply the answer for everything, with changes") { store in
      let alert = Alert(id: StepRandom.identifier(ofStep: 900), startedAt: moment.wall, message: "elsewhere")
      let receipt = Receipt(
        id: StepRandom.identifier(ofStep: 901), alertID: alert.id, contactID: StepRandom.identifier(ofStep: 902),
        contactName: "Cleo", notice: .activated, channel: .webhook, state: .sent, at: moment.wall, reason: nil)
      let cleo = ContactRecord(details: try details("Cleo"), webhookSecret: "whsec_1")
      let record = AlertRecord(alert: alert, ordinal: 7, receivedAt: moment.wall, endReceivedAt: nil)
      try exchange(
        store, .emergency,
        changes: [.alert(record), .contact(receipt.contactID, cleo), .receipt(receipt)], cursor: "c4")
    },
    commit("apply the answer for the contacts") { try exchange($0, .routine, cursor: "c5") },
  ]

  private static let restoredServer = [
    commit("apply the answer of a restored server") { try exchange($0, .routine, epoch: "two", cursor: "d1") },
    commit("pull the first page from it") {
      try exchange($0, .routine, epoch: "two", cursor: "d2", hasMore: true)
    },
    commit("pull the last page, and queue what it lacks") {
      try exchange($0, .routine, epoch: "two", cursor: "d3")
    },
    commit("apply the answer for what was queued again") { try exchange($0, .emergency, epoch: "two", cursor: "d4") },
    commit("mark the session as expired") { _ = try $0.markSessionExpired(refusedToken: "refresh 2") },
  ]

  private static let leaving = [
    commit("begin to sign out") { _ = try $0.beginSignOut(try $0.signOutAgreement(at: moment), at: moment) },
    commit("cancel the sign-out") { try $0.abandonSignOut() },
    commit("begin to sign out again") { _ = try $0.beginSignOut(try $0.signOutAgreement(at: moment), at: moment) },
    commit("finish the sign-out") { store in
      guard let session = try store.session() else { throw NothingToDo() }
      try store.finishSignOut(of: session, try store.signOutAgreement(at: moment))
    },
    raise("raise an alert, signed out", AlertDraft(message: "again")),
    commit("sign in as another person") { try $0.signIn(session(2), at: moment) },
    put("add Dan", "Dan"),
  ]
}

// Steps.
extension DeviceScript {
  private static func commit(_ name: String, _ body: @escaping @Sendable (LocalStore) throws -> Void) -> Step {
    Step(name) { store, _ in
      try body(store)
      return .committed
    }
  }

  private static func raise(_ name: String, _ draft: AlertDraft) -> Step {
    Step(name) { store, _ in
      try store.activateAlert(draft, at: moment).isSpooled ? .setDown : .committed
    }
  }

  private static func put(_ name: String, _ contact: String) -> Step {
    commit(name) { _ = try $0.putContact(nil, try details(contact), at: moment) }
  }

  private static func details(_ name: String) throws -> ContactDetails {
    try ContactDetails(
      name: name, phone: "+12025550123", isResponder: true, isDependent: false,
      channels: [Channel("https://example.org/hook")])
  }

  private static func session(_ number: Int) -> Session {
    Session(
      accountID: StepRandom.identifier(ofStep: 800 + number), phone: "+1202555019\(number)",
      accessToken: "access \(number)", refreshToken: "refresh \(number)",
      accessExpiresAt: moment.wall.advanced(byMilliseconds: 900_000), alertKey: "key \(number)")
  }

  /// The server accepts everything in the lane.
  private static func exchange(
    _ store: LocalStore, _ lane: Lane, changes: [Change] = [], epoch: String = "one", cursor: String,
    hasMore: Bool = false
  ) throws {
    let batch = try store.nextBatch(.everything(lane))
    let ids = batch.mutations.map(\.id.description) + batch.notifications.map(\.id.description)
    let response = SyncResponse(
      results: ids.map { ItemResult(id: $0, status: .applied, appliedAt: moment.wall) }, changes: changes,
      cursor: cursor, hasMore: hasMore, epoch: epoch, serverTime: moment.wall)
    _ = try store.apply(response, to: batch, at: moment)
  }
}

extension BatchSelection {
  fileprivate static func everything(_ lane: Lane) -> BatchSelection {
    BatchSelection(lane: lane, maximumItems: 500, maximumBytes: 512 * 1024)
  }
}

extension SyncResponse {
  /// The first mutation of this kind is rejected; the rest have no result.
  fileprivate static func refusing(_ kind: Mutation.Kind, of batch: Batch, cursor: String) throws -> SyncResponse {
    guard let mutation = batch.mutations.first(where: { $0.kind == kind }) else { throw DeviceScript.NothingToDo() }
    let result = ItemResult(
      id: mutation.id.description, status: .rejected, code: "invalid_body", message: "refused")
    return SyncResponse(
      results: [result], changes: [], cursor: cursor, hasMore: false, epoch: "one",
      serverTime: DeviceScript.moment.wall)
  }
}
