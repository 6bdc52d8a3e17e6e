package import LocalStore
package import Model

/// The truth, kept outside of the engine: what people were told, what the server answered, what reached the responders.
///
/// The simulation reports everything that is visible from outside, and the oracle says which promise was broken. It only looks
/// into the engine through the stores' own interfaces. Times are virtual milliseconds since the run began.
///
/// | promise | what is checked | where |
/// |---|---|---|
/// | I1 | what a person was told is saved is shown, or was superseded in the server's order | `DeviceChecks` |
/// | I2 | rows, mutations and notification requests exist together | `QueueChecks` |
/// | I3 | each id takes effect once, and a duplicate was applied before | `ServerChecks` |
/// | I4 | devices, server and model agree in the end | `ConvergenceChecks` |
/// | I5 | nothing queued vanishes | `QueueChecks` |
/// | | nothing is refused without a reason | `RefusalChecks` |
/// | | every alert arrives or is visibly unsent, and responders are told | `FateChecks`, `DeliveryChecks` |
/// | | the words of every call arrive | `CallChecks` |
/// | I6 | ended stays ended | `DeviceChecks` |
/// | | no "help" after "safe"; first queued is first sent | `ResponderLog`, `OrderChecks` |
/// | I7 | accounts are separate | `ServerChecks`, `ResponderLog` |
/// | I8 | log and traffic are bounded | `Traffic` |
/// | I10 | the newest message carries the newest call for help | `CallChecks`, `DeliveryChecks` |
/// | | no end counts that has not seen it | `ServerChecks` |
/// | I11 | responders are asked by the schedule until one comes | `Vigil` |
/// | I12 | what is seen or acknowledged was pressed | `PressChecks` |
/// | I13 | drills are marked, and real alerts are not | `ResponderLog` |
/// | I14 | an alert is answered within twice the time that it takes alone | `Press` |
package final class Oracle {
  package var violations: [Violation] { findings.violations }

  var findings = Findings()
  var owners = Owners()
  var server = ServerModel()
  var responders = ResponderLog()
  var presses = PressLog()
  var traffic: Traffic
  private var ledgers: [Int: DeviceLedger] = [:]

  /// - Parameter checkpointPages: as in the devices' `StoreOptions`.
  package init(checkpointPages: Int = 1000) {
    traffic = Traffic(checkpointPages: checkpointPages)
  }

  subscript(device: Int) -> DeviceLedger {
    get { ledgers[device] ?? DeviceLedger(number: device) }
    _modify { yield &ledgers[device, default: DeviceLedger(number: device)] }
  }

  var deviceNumbers: [Int] { ledgers.keys.sorted() }

  // MARK: What people did on a device and were told

  /// Raising succeeded: the person was told that the alert is saved.
  /// - Parameter account: who was signed in on the device; nil if nobody.
  /// - Parameter message: their unique words; nil for none, and for a drill.
  package func raised(
    _ activation: Activation, saying message: String? = nil, on device: Int, account: AccountID?, now: Int64
  ) {
    if let message, activation.isCallSaved {
      self[device].presses.append(DeviceLedger.ToldPress(id: activation.press, message: message))
    }
    if activation.isSpooled { traffic.happened(at: now) } else { committed(on: device, now: now) }
    let entity = EntityID(activation.alert.id)
    if activation.alreadyActive {
      // Its parked items are offered again under other ids.
      self[device].givenUp.formUnion(self[device].lastView?.items[entity]?.filter { $0.parked != nil }.map(\.id) ?? [])
    } else {
      owners.saved(entity, by: account, on: device)
    }
    self[device].tell(
      activation.alert, account: account, isRaisedHere: !activation.alreadyActive, step: server.step)
    if activation.isSpooled { self[device].change(activation.alert.id) { $0.isSpooled = true } }
  }

  /// The person was told that the end of these alerts is saved.
  package func ended(_ alerts: [Alert], on device: Int, account: AccountID?, now: Int64) {
    committed(on: device, now: now)
    for alert in alerts {
      self[device].tell(alert, account: account, isRaisedHere: false, step: server.step)
      self[device].change(alert.id) { $0.isEnded = true }
    }
  }

  package func putContact(_ contact: Contact, on device: Int, account: AccountID?, now: Int64) {
    committed(on: device, now: now)
    owners.saved(EntityID(contact.id), by: account, on: device)
    self[device].contacts[contact.id] = DeviceLedger.ToldContact(details: contact.details, step: server.step)
  }

  package func removedContact(_ id: ContactID, on device: Int, account: AccountID?, now: Int64) {
    committed(on: device, now: now)
    self[device].contacts[id] = DeviceLedger.ToldContact(details: nil, step: server.step)
  }

  /// A person discarded these queued items.
  package func discarded(_ items: [QueueItem], on device: Int, now: Int64) {
    committed(on: device, now: now)
    gaveUp(items, on: device)
  }

  func gaveUp(_ items: [QueueItem], on device: Int) {
    for item in items { discarded(item, on: device) }
  }

  private func discarded(_ item: QueueItem, on device: Int) {
    let alert = AlertID(item.entityID)
    self[device].givenUp.insert(item.id)
    self[device].presses.removeAll { item.body.contains($0.message) }
    switch item.kind {
    case "alert.activate": self[device].change(alert) { $0.isDiscarded = true }
    case "alert.deactivate":
      self[device].givenUpEnds.insert(alert)
      self[device].change(alert) { $0.isEndDiscarded = true }
    case "contact.put", "contact.remove":
      self[device].contacts[ContactID(item.entityID)] = nil
      self[device].contactSteps[ContactID(item.entityID)] = nil
    case "profile.put": break
    default: self[device].change(alert) { $0.discardedRequests.insert(item.kind) }
    }
  }

  /// A parked item is queued again under another id.
  package func retried(_ oldID: String, as item: QueueItem, on device: Int, now: Int64) {
    committed(on: device, now: now)
    if item.id != oldID { self[device].givenUp.insert(oldID) }
  }

  /// The person was told that the device is signed in.
  package func signedIn(_ account: AccountID, on device: Int, now: Int64) {
    committed(on: device, now: now)
    signIn(account, on: device)
  }

  /// The person was told that the device is signed out, after agreeing to this.
  package func signedOut(_ agreement: SignOutAgreement, on device: Int, now: Int64) {
    committed(on: device, now: now)
    signOut(agreement, on: device)
  }

  /// A call into the store died with its process or its machine: the person was told nothing, and either outcome is valid.
  /// - Parameter call: what the call was about. The less is known, the less can be found.
  package func died(on device: Int, during call: PersonCall = .unknown, now: Int64) {
    traffic.happened(at: now)
    self[device].deaths.append(call)
  }

  /// The person was told of a commit, so everything before it is certain too.
  private func committed(on device: Int, now: Int64) {
    traffic.happened(at: now)
    self[device].earlierDeaths = []
  }

  // MARK: Traffic

  /// Takes the size of the device's log in bytes.
  /// - Parameter checkpointPages: the device's `StoreOptions` value; nil for the common one.
  package func logSize(_ bytes: Int, checkpointPages: Int? = nil, of device: Int, now: Int64) {
    traffic.logSize(bytes, checkpointPages: checkpointPages, of: device, now: now, &findings)
  }

  /// Takes the work of one transaction of the device's store under its lock, in SQLite virtual machine instructions.
  package func worked(_ work: Int, of device: Int, now: Int64) {
    guard work > Self.mostWork else { return }
    findings.add(
      .bounded, "work of \(device)",
      "one transaction of device \(device) took \(work) instructions under the store's lock: more than \(Self.mostWork)",
      at: now)
  }

  /// About 10 ms: the longest that a person who raises an alert may wait for another process.
  package static let mostWork = 200_000

  /// The device sent a request.
  package func requested(by device: Int, now: Int64) {
    traffic.requested(by: device, now: now, &findings)
  }

  /// The session is shown as expired. `isExcused`: the server was restored, or its clock jumped past the session's end.
  package func sessionExpired(on device: Int, isExcused: Bool, now: Int64) {
    guard !isExcused else { return }
    findings.add(
      .nothingLost, "device \(device) has to sign in again, and nothing happened that ends a session", at: now)
  }

  // MARK: The responders

  /// A responder presses on their page; whether the server takes it is not known yet.
  func presses(_ press: PressLog.Press, about alert: AlertID, by contact: ContactID) {
    presses.note(press, alert, contact)
  }

  /// A message arrived at a responder's channel.
  package func arrived(_ message: ResponderMessage, now: Int64) {
    responders.arrived(message, server, now: now, &findings)
  }
}
