package import LocalStore
package import Model

/// The truth, kept outside of the engine: what people were told, what the server answered, what arrived at the responders.
///
/// The simulation tells it all that can be seen from outside, and it says what broke a promise. It never looks into the
/// engine but through the stores' own interfaces. Times are virtual milliseconds since the run began.
///
/// | promise | what is checked | where |
/// |---|---|---|
/// | I1 | what a person was told is saved is shown, or was superseded as the server ordered it | `DeviceChecks` |
/// | I2 | rows, mutations and notification requests stand together | `QueueChecks` |
/// | I3 | each id takes effect once, and what is called done was done | `ServerChecks` |
/// | I4 | devices, server and model agree in the end | `ConvergenceChecks` |
/// | I5 | nothing queued vanishes; every alert arrives or visibly does not; responders hear | `QueueChecks`, `FateChecks`, `DeliveryChecks` |
/// | I6 | ended stays ended; no "help" after "safe"; what was queued first is sent first | `DeviceChecks`, `ResponderLog`, `OrderChecks` |
/// | I7 | accounts are apart | `ServerChecks`, `ResponderLog` |
/// | I10 | a call for help is in the newest message, and no end ends what it had not seen | `CallChecks`, `ServerChecks`, `DeliveryChecks` |
/// | I8 | log and traffic are bounded | `Traffic` |
/// | I14 | an alert is answered in twice the time that it takes alone, whatever else waits | `Press` |
package final class Oracle {
  package var violations: [Violation] { findings.violations }

  var findings = Findings()
  var owners = Owners()
  var server = ServerModel()
  var responders = ResponderLog()
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

  // MARK: What people did on a device, and were told

  /// Raising came back with success: the person was told that the alert is saved.
  /// - Parameter account: who was signed in on the device; nil: nobody.
  /// - Parameter message: what they said, in words of their own; nil: nothing, or a drill.
  package func raised(
    _ activation: Activation, saying message: String? = nil, on device: Int, account: AccountID?, now: Int64
  ) {
    if let message, activation.isCallSaved {
      self[device].presses.append(DeviceLedger.ToldPress(id: activation.press, message: message))
    } else if let message {
      self[device].saidInDoubt(message)
    }
    if activation.isSpooled { traffic.happened(at: now) } else { committed(on: device, now: now) }
    let entity = EntityID(activation.alert.id)
    if activation.alreadyActive {
      // What was refused of it is offered anew, under other ids.
      self[device].givenUp.formUnion(self[device].lastView?.items[entity]?.filter { $0.parked != nil }.map(\.id) ?? [])
    } else {
      owners.saved(entity, by: account, on: device)
    }
    self[device].tell(
      activation.alert, account: account, isRaisedHere: !activation.alreadyActive, step: server.step)
    if activation.isSpooled { self[device].change(activation.alert.id) { $0.isSpooled = true } }
  }

  /// The alerts whose end a person was told is saved.
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

  /// A person gave these queued items up.
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
    self[device].presses.removeAll { item.body.contains("\"\($0.message)\"") }
    switch item.kind {
    case "alert.activate": self[device].change(alert) { $0.isDiscarded = true }
    case "alert.deactivate":
      self[device].givenUpEnds.insert(alert)
      self[device].change(alert) { $0.isEndDiscarded = true }
    case "contact.put", "contact.remove":
      self[device].contacts[ContactID(item.entityID)] = nil
      self[device].contactSteps[ContactID(item.entityID)] = nil
    default: self[device].change(alert) { $0.discardedRequests.insert(item.kind) }
    }
  }

  /// A parked item is queued again, under another id.
  package func retried(_ oldID: String, as item: QueueItem, on device: Int, now: Int64) {
    committed(on: device, now: now)
    if item.id != oldID { self[device].givenUp.insert(oldID) }
  }

  /// The device is signed in, in the person's eyes.
  package func signedIn(_ account: AccountID, on device: Int, now: Int64) {
    committed(on: device, now: now)
    signIn(account, on: device)
  }

  /// The person was told that the device is signed out, having agreed to this.
  package func signedOut(_ agreement: SignOutAgreement, on device: Int, now: Int64) {
    committed(on: device, now: now)
    signOut(agreement, on: device)
  }

  /// A call into the store died with its process or its machine: the person was told nothing, and either outcome is right.
  /// - Parameter call: what it was about; the less is known of it, the less can be found.
  package func died(on device: Int, during call: PersonCall = .unknown, now: Int64) {
    traffic.happened(at: now)
    self[device].deaths.append(call)
    if case .raising(let message?) = call { self[device].saidInDoubt(message) }
  }

  /// The person was told of something that is certain now, and so is all that came before it.
  private func committed(on device: Int, now: Int64) {
    traffic.happened(at: now)
    self[device].earlierDeaths = []
  }

  // MARK: Traffic

  /// The device's files were asked for their sizes: the log in bytes.
  /// - Parameter checkpointPages: as in the device's `StoreOptions`; nil: as in all.
  package func logSize(_ bytes: Int, checkpointPages: Int? = nil, of device: Int, now: Int64) {
    traffic.logSize(bytes, checkpointPages: checkpointPages, of: device, now: now, &findings)
  }

  /// One transaction of the device's store did so much under the lock, in instructions of SQLite's machine.
  package func worked(_ work: Int, of device: Int, now: Int64) {
    guard work > Self.mostWork else { return }
    findings.add(
      .bounded, "work of \(device)",
      "one transaction of device \(device) did \(work) instructions under the store's lock: more than \(Self.mostWork)",
      at: now)
  }

  /// Some 10 ms: whoever raises an alert waits for no longer.
  package static let mostWork = 200_000

  /// The device sent a request.
  package func requested(by device: Int, now: Int64) {
    traffic.requested(by: device, now: now, &findings)
  }

  /// The session shows as expired. `isExcused`: the server was restored, or its clock jumped over the session's life.
  package func sessionExpired(on device: Int, isExcused: Bool, now: Int64) {
    guard !isExcused else { return }
    findings.add(
      .nothingLost, "device \(device) has to sign in anew, and nothing happened that ends a session", at: now)
  }

  // MARK: The responders

  /// A message arrived at a channel of a responder.
  package func arrived(_ message: ResponderMessage, now: Int64) {
    responders.arrived(message, server, now: now, &findings)
  }
}
