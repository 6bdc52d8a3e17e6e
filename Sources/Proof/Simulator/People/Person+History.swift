import LocalStore
import Model

// A person who has used the device for years.

extension Person {
  /// Calls `then` once somebody is signed in.
  func awaitAccount(_ then: @escaping () -> Void) {
    guard !world.isHealed else { return }
    guard device.isOn, account != nil, device.server.isUp else {
      return world.after(1000) { [self] in awaitAccount(then) }
    }
    then()
  }

  /// Raises and ends this many drills, and calls `then` when the server has them all.
  func liveThroughHistory(count: Int, then: @escaping () -> Void) {
    guard !world.isHealed else { return }
    guard device.isOn, account != nil else {
      return world.after(1000) { [self] in liveThroughHistory(count: count, then: then) }
    }
    for _ in 0..<count { raiseAndEnd() }
    device.wasPoked(sendsOnce: true)
    awaitSent(then)
  }

  /// Without faults: the history is older than they are.
  private func raiseAndEnd() {
    let account = account
    let draft = AlertDraft(isDrill: true, utcOffsetMinutes: 120)
    let done = device.peek { [device] store in
      let activation = try store.activateAlert(draft, at: device.moment())
      return (activation, try store.deactivateAlerts(at: device.moment()))
    }
    guard let (activation, ended) = done, !activation.isSpooled else { return }
    world.oracle.raised(activation, on: device.number, account: account, now: world.now)
    world.oracle.ended(ended, on: device.number, account: account, now: world.now)
  }

  private func awaitSent(_ then: @escaping () -> Void) {
    world.after(5000) { [self] in
      guard !world.isHealed else { return }
      guard device.isOn, device.peek({ try $0.pendingCount() }) == 0 else { return awaitSent(then) }
      then()
    }
  }
}
