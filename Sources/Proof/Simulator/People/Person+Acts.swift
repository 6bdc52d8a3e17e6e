import DeviceCore
import LocalStore
import Model

// What people do on their own device.

extension Person {
  /// Often more than once: with other words, from another place, whatever became of the first call.
  func raise() {
    pressOnce()
    guard random.chance(0.4) else { return }
    world.after(random.wait(meanMilliseconds: 20_000)) { [self] in
      guard !world.isHealed, device.isOn else { return }
      raise()
      device.look()
    }
  }

  private func pressOnce() {
    let isDrill = random.chance(0.15)
    presses += 1
    let words = "help-\(device.number)-\(presses)."
    let place =
      random.chance(0.3) ? try? Location(latitude: Double(presses % 90), longitude: Double(device.number)) : nil
    let draft = AlertDraft(
      message: random.chance(0.6) ? words : nil, location: place, isDrill: isDrill, utcOffsetMinutes: 120)
    let account = account
    let moment = device.moment()
    let waiting = device.peek { try $0.syncState().emergency.count } ?? 1
    let message = isDrill ? nil : draft.message
    let call = PersonCall.raising(saying: message)
    let activation: Result<Activation, any Error>?
    if random.chance(0.4), let store = device.app?.store, let process = device.app?.process {
      activation = device.attempt(process, during: { call }) { try store.activateAlert(draft, at: moment) }
    } else {
      let process = device.disk.newProcess()
      activation = device.attempt(process, during: { call }) {
        try EmergencyActivation.perform(draft, home: device.home, options: device.options, at: moment).activation
      }
    }
    switch activation {
    case .success(let activation)?:
      world.note(name, "is told: \(activation.alert.id) saved\(activation.isSpooled ? " in the spool" : "")")
      world.oracle.raised(activation, saying: message, on: device.number, account: account, now: world.now)
      if device.isStoreLocked, activation.isSpooled, !isDrill { device.pressesOfLock.append(activation.press) }
      if account != nil, !activation.isSpooled, !activation.alreadyActive {
        device.time(activation.alert.id, waiting: waiting)
      } else {
        device.disturbPress()
      }
      device.wasPoked(sendsOnce: random.chance(0.8))
      tellNewsSoon()
    case .failure(let error)?:
      world.note(name, "is told: NOT saved, \(error)")
      noteDoubt(error, during: call)
    case nil: world.note(name, "is told nothing")
    }
  }

  /// After a press the device reports its battery, and where it is.
  private func tellNewsSoon() {
    guard newsRandom.chance(0.5) else { return }
    world.after(newsRandom.wait(meanMilliseconds: 3000)) { [self] in
      guard !world.isHealed, device.isOn else { return }
      tellNews()
      device.look()
    }
  }

  /// A place or a battery level, which is no call for help.
  func tellNews() {
    var news = AlertNews(batteryPercent: Int(newsRandom.number(0...100)))
    if newsRandom.chance(0.5) {
      news = AlertNews(location: try? Location(latitude: Double(newsRandom.number(-89...89)), longitude: 7))
    }
    perform("tells where it is, or its battery", .telling) { [device] in
      try $0.updateAlert(news, at: device.moment())
    } then: { _ in
    }
  }

  /// Is shown what is active, and types the word some time later. What comes meanwhile goes on.
  func lookAndEnd() {
    guard let shown = device.peek({ try $0.alertsToEnd() }), !shown.isEmpty else { return end() }
    world.note(name, "is asked whether to end \(shown.map(\.alert.id.description))")
    world.after(newsRandom.number(1000...60_000)) { [self] in
      guard !world.isHealed, device.isOn else { return }
      end(shown)
      device.look()
    }
  }

  func end(_ shown: [AlertToEnd]? = nil) {
    device.disturbPress()
    let account = account
    perform("ends", .ending) {
      try $0.deactivateAlerts(shown, at: self.device.moment())
    } then: { alerts in
      world.note(name, "is told: ended \(alerts.map(\.id.description))")
      world.oracle.ended(alerts, on: device.number, account: account, now: world.now)
    }
  }

  /// - Parameter responders: the probability that the contact is a responder.
  func putContact(responders: Double = 0.85) {
    guard let details = details(responders: responders) else { return }
    let account = account
    perform("adds a contact", .puttingContact) {
      try $0.putContact(nil, details, at: self.device.moment())
    } then: { contact in
      world.oracle.putContact(contact, on: device.number, account: account, now: world.now)
    }
  }

  func editContact() {
    guard let details = details() else { return }
    let account = account
    let pick = random.next()
    perform("edits a contact", .puttingContact) { store -> Contact? in
      let contacts = try store.contacts()
      guard !contacts.isEmpty else { return nil }
      let id = contacts[Int(pick % UInt64(contacts.count))].contact.id
      return try store.putContact(id, details, at: self.device.moment())
    } then: { contact in
      guard let contact else { return }
      world.oracle.putContact(contact, on: device.number, account: account, now: world.now)
    }
  }

  func removeContact() {
    let account = account
    let pick = random.next()
    perform("removes a contact", .removingContact) { store -> Contact? in
      let contacts = try store.contacts()
      guard !contacts.isEmpty else { return nil }
      return try store.removeContact(contacts[Int(pick % UInt64(contacts.count))].contact.id, at: self.device.moment())
    } then: { contact in
      guard let contact else { return }
      world.oracle.removedContact(contact.id, on: device.number, account: account, now: world.now)
    }
  }

  /// On slow lines alerts are raised more often: after the active one ended, and sometimes while an address book is being
  /// uploaded, which must not delay the alert.
  func needHelpOnSlowLine(_ chance: SimulatedRandom) {
    var chance = chance
    let imports = chance.chance(0.3) ? chance.number(30...80) : 0
    let pause = chance.number(100...4000)
    world.after(chance.wait(meanMilliseconds: 90_000)) { [self] in
      guard !world.isHealed else { return }
      needHelpOnSlowLine(chance)
      guard device.isOn, device.line.rates != nil else { return }
      end()
      world.after(12_000) { [self] in
        guard device.isOn, !world.isHealed else { return }
        for _ in 0..<imports where device.isOn { putContact(responders: 0.03) }
        world.after(pause) { [self] in if device.isOn, !world.isHealed { raise() } }
      }
    }
  }

  /// A contact with one or two channels; sometimes one that the server does not accept.
  private func details(responders: Double = 0.85) -> ContactDetails? {
    let number = random.next() % 100_000
    let host = "https://r\(number).example/\(phone.dropFirst(8))"
    var channel =
      switch random.fraction() {
      case ..<0.55: [host]
      case ..<0.75: ["ntfy://push.example/topic-\(number)"]
      case ..<0.88: [host, "ntfy://push.example/topic-\(number)"]
      default: ["http://plain\(number).example/hook"]
      }
    if device.network.versions.areDevicesNewer { channel.append("pigeon:loft-\(number)") }
    return try? ContactDetails(
      name: "Contact \(number % 100)", phone: "+12025550\(100 + number % 900)", isResponder: random.chance(responders),
      isDependent: false, channels: channel.map { try Channel(foreign: $0) })
  }

  /// Looks at parked items, and retries or discards one.
  func tendQueue() {
    let givesUp = random.chance(0.5)
    let moment = device.moment()
    var call = PersonCall.retrying
    perform("looks at parked items", call) { store -> (discarded: [QueueItem], retried: (String, QueueItem)?) in
      guard let item = try store.queue().first(where: { $0.parked != nil }) else { return ([], nil) }
      if givesUp { call = .discarding(item.id) }
      if givesUp { return (try store.discard(item.id, at: moment), nil) }
      return ([], (item.id, try store.retry(item.id, at: moment)))
    } then: { done in
      if !done.discarded.isEmpty {
        world.note(name, "discards \(done.discarded.map(\.id))")
        world.oracle.discarded(done.discarded, on: device.number, now: world.now)
      }
      if let (old, item) = done.retried {
        world.oracle.retried(old, as: item, on: device.number, now: world.now)
      }
    }
  }

  /// After a disk error, as after a death, nobody knows whether the call took effect.
  func noteDoubt(_ error: any Error, during call: PersonCall) {
    let cause: LocalStoreError? =
      if case .store(let cause)? = error as? AccountError { cause } else { error as? LocalStoreError }
    switch cause?.code {
    case .diskFull, .inputOutput, .damaged, .cannotOpen, .readOnly, .busy, .internalError:
      world.oracle.died(on: device.number, during: call, now: world.now)
    default: break
    }
  }

  /// Runs a command, or the same call in the app that holds the store open.
  func perform<Result>(
    _ what: String, _ call: @autoclosure () -> PersonCall, _ body: @escaping (LocalStore) throws -> Result,
    then: (Result) -> Void
  ) {
    let result: Swift.Result<Result, any Error>?
    if random.chance(0.4), let store = device.app?.store, let process = device.app?.process {
      result = device.attempt(process, during: { call() }) { try body(store) }
    } else {
      result = device.command(during: { call() }, body)
    }
    switch result {
    case .success(let value)?:
      world.note(name, what)
      then(value)
      device.wasPoked(sendsOnce: random.chance(0.3))
    case .failure(let error)?:
      world.note(name, "\(what), and is told: \(error)")
      noteDoubt(error, during: call())
    case nil: world.note(name, "\(what), and is told nothing")
    }
  }
}
