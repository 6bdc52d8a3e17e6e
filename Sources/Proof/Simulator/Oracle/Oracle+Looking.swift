package import LocalStore
import Model

extension Oracle {
  /// Looks into a device's store: after every start of a process, after a power cut, and now and then. Best also before
  /// a person agrees to a sign-out, so that what they lose is known.
  package func look(at store: LocalStore, of device: Int, now: Int64) {
    _ = view(of: store, device, now: now)
  }

  /// Reads the store and checks what it shows; nil where it cannot be read, as on a disk that fails.
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

  /// Who is signed in by the store: as the person was told, or as a call left it that died.
  private func takeOver(_ account: AccountID?, on device: Int, now: Int64) {
    guard self[device].account != account else { return }
    let deaths = self[device].deaths + self[device].earlierDeaths
    guard !deaths.isEmpty else {
      let told = self[device].account?.description ?? "nobody"
      findings.add(
        .durable, "sign-in of \(device)",
        "device \(device) was left with \(told) signed in, and shows \(account?.description ?? "nobody")", at: now)
      return
    }
    if let account { return signIn(account, on: device) }
    for case .signingOut(let agreement) in deaths { return signOut(agreement, on: device) }
    // What was agreed to is not known: everything that is gone may have been.
    let queued = self[device].lastView?.queue.map(\.id) ?? []
    let alerts = self[device].toldAlerts.map(\.alert.id)
    signOut(SignOutAgreement(queuedIDs: Set(queued), activeAlerts: Set(alerts)), on: device)
  }

  /// What a call did that died is what the person sees from now on.
  private func takeOverDeaths(_ view: DeviceView, on device: Int) {
    let deaths = self[device].deaths + self[device].earlierDeaths
    guard !deaths.isEmpty else { return }
    let lost = (self[device].lastView?.queue ?? []).filter { item in !view.queue.contains { $0.id == item.id } }
    for death in deaths { takeOver(death, lost, view, on: device) }
  }

  private func takeOver(_ death: PersonCall, _ lost: [QueueItem], _ view: DeviceView, on device: Int) {
    switch death {
    case .raising, .retrying:
      // The parked come under other ids.
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
    case .ending, .signingIn, .signingOut: break
    }
  }

  /// An alert that was discarded shows it; of its end, and of the wishes to tell, nothing shows it.
  private func isDiscarded(_ item: QueueItem, _ view: DeviceView) -> Bool {
    if item.kind != "alert.activate" { return true }
    return view.entriesByID[AlertID(item.entityID)]?.isDiscarded ?? false
  }
}
