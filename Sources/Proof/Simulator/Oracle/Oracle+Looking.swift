package import LocalStore
import Model

extension Oracle {
  /// Reads and checks a device's store. To be called after each process start and power cut, regularly, and before a person
  /// agrees to a sign-out, so that the loss they agree to is known.
  package func look(at store: LocalStore, of device: Int, now: Int64) {
    _ = view(of: store, device, now: now)
  }

  /// Reads and checks the store; nil if it cannot be read, as on a failing disk.
  @discardableResult
  func view(of store: LocalStore, _ device: Int, now: Int64) -> DeviceView? {
    guard let view = try? DeviceView(store) else { return nil }
    if let session = view.session { owners.note(session.phone, of: session.accountID) }
    takeOver(view.session?.accountID, on: device, now: now)
    takeOverDeaths(view, on: device)
    var checks = DeviceChecks(view: view, server: server, now: now)
    checks.run(&self[device], &findings)
    QueueChecks(view: view, server: server, now: now).run(self[device], &findings)
    CallChecks(view: view, ledger: self[device], server: server).run(now: now, &findings)
    self[device].lastView = view
    self[device].lastStep = server.step
    self[device].earlierDeaths += self[device].deaths
    self[device].deaths = []
    return view
  }

  /// Takes the signed-in account from the store: as the person was told, or as a call that died left it.
  private func takeOver(_ account: AccountID?, on device: Int, now: Int64) {
    guard self[device].account != account else { return }
    let deaths = self[device].deaths + self[device].earlierDeaths
    guard !deaths.isEmpty else {
      let told = self[device].account?.description ?? "nobody"
      findings.add(
        .durable, "sign-in of \(device)",
        "device \(device) had \(told) signed in, and now has \(account?.description ?? "nobody")", at: now)
      return
    }
    if let account { return signIn(account, on: device) }
    for case .signingOut(let agreement) in deaths { return signOut(agreement, on: device) }
    // What they agreed to is unknown, so everything may be gone.
    let queued = self[device].lastView?.queue.map(\.id) ?? []
    let alerts = self[device].toldAlerts.map(\.alert.id)
    signOut(SignOutAgreement(queuedIDs: Set(queued), activeAlerts: Set(alerts)), on: device)
  }

  /// The effects of a call that died are visible from now on.
  private func takeOverDeaths(_ view: DeviceView, on device: Int) {
    let deaths = self[device].deaths + self[device].earlierDeaths
    guard !deaths.isEmpty else { return }
    let lost = (self[device].lastView?.queue ?? []).filter { item in !view.queue.contains { $0.id == item.id } }
    for death in deaths { takeOver(death, lost, view, on: device) }
  }

  private func takeOver(_ death: PersonCall, _ lost: [QueueItem], _ view: DeviceView, on device: Int) {
    switch death {
    case .raising, .retrying:
      // Parked items return under other ids.
      self[device].givenUp.formUnion(lost.filter { $0.parked != nil }.map(\.id))
    case .discarding(let id):
      guard let first = lost.first(where: { $0.id == id }) else { return }
      gaveUp(lost.filter { $0.entityID == first.entityID }, on: device)
    case .puttingContact, .removingContact: self[device].contacts = [:]
    case .unknown:
      self[device].contacts = [:]
      self[device].givenUp.formUnion(lost.filter { $0.parked != nil || $0.lane == .routine }.map(\.id))
      let alerts = lost.filter { $0.lane == .emergency && isDiscarded($0, view) }
      gaveUp(alerts, on: device)
    case .ending, .telling, .signingIn, .signingOut: break
    }
  }

  /// A discarded alert shows it; a discarded end or notification request leaves no trace.
  private func isDiscarded(_ item: QueueItem, _ view: DeviceView) -> Bool {
    if item.kind != "alert.activate" { return true }
    return view.entriesByID[AlertID(item.entityID)]?.isDiscarded ?? false
  }
}
