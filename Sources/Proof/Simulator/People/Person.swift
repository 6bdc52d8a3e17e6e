import LocalStore
import Model

/// The person with a device: raises and ends alerts, keeps contacts, signs in and out, at random times.
final class Person {
  let device: SimulatedDevice
  let world: World
  var random: SimulatedRandom
  /// The numbers that this person may sign in with; their own is first.
  let phones: [String]
  var phone: String
  var pauseMilliseconds: Int64
  /// Whether they intend to be signed in.
  var wantsSession = true
  /// Whether they tried to sign out since they last signed in: the server may have done it without their hearing of it.
  var triedToSignOut = false
  /// Whether they end what is still active when the faults are over, so that the ends must reach everybody.
  private let isSafeInTheEnd: Bool
  /// Whether they look at what they end, and take their time.
  private let looksBeforeEnding: Bool
  /// The number of their calls for help.
  var presses = 0
  /// For news that are no calls.
  var newsRandom: SimulatedRandom

  init(device: SimulatedDevice, phones: [String], pauseMilliseconds: Int64) {
    self.device = device
    self.phones = phones
    self.pauseMilliseconds = pauseMilliseconds
    phone = phones[0]
    world = device.world
    random = world.random("person of \(device.name)")
    newsRandom = world.random("news of \(device.name)")
    var end = world.random("end of \(phones[0])")
    isSafeInTheEnd = end.chance(0.5)
    var look = world.random("look of \(device.name)")
    looksBeforeEnding = look.chance(0.15)
  }

  var name: String { "person-\(device.number)" }

  func begin() {
    needHelpOnSlowLine(world.random("slow line of \(device.name)"))
    world.after(random.number(0...40_000)) { [self] in
      // Some raise an alert before they first sign in.
      if random.chance(0.15) { raise() }
      if random.chance(0.9) { signIn() }
      live()
    }
  }

  private func live() {
    world.after(random.wait(meanMilliseconds: pauseMilliseconds)) { [self] in
      guard !world.isHealed else { return }
      if device.isOn {
        act()
        if newsRandom.chance(0.1) { tellNews() }
        device.look()
      }
      live()
    }
  }

  /// The faults are over: signs in again if intended, and keeps a worker running.
  func settle() {
    guard device.isOn else { return world.after(1000) { [self] in settle() } }
    device.startWorker()
    if device.isEngineFrozen { device.syncOnce() }
    if isSafeInTheEnd, device.peek({ try $0.status().alert?.isActive }) == true { end() }
    guard let session = device.peek({ try $0.session() }) ?? nil else {
      wantsSession = true
      signIn()
      return world.after(15_000) { [self] in settle() }
    }
    if session.isExpired {
      world.oracle.sessionExpired(on: device.number, isExcused: isExpiryExcused, now: world.now)
      phone = session.phone
      signIn()
    }
    world.after(30_000) { [self] in settle() }
  }

  /// Sessions legitimately end by a restore, a far jump of the server's clock, a sign-out whose answer was lost, or a copy of
  /// an old refresh.
  var isExpiryExcused: Bool {
    // After a clock jump of minutes, a late request looks like a thief's.
    triedToSignOut || device.looksStolen || device.server.restores > 0 || device.server.clockJumps > 10_000
  }

  // MARK: Their acts

  private func act() {
    switch random.fraction() {
    case ..<0.30: raise()
    case ..<0.50: if looksBeforeEnding { lookAndEnd() } else { end() }
    case ..<0.66: putContact()
    case ..<0.72: editContact()
    case ..<0.77: removeContact()
    case ..<0.83: tendQueue()
    case ..<0.88: signOut()
    case ..<0.93: signIn()
    case ..<0.95: changeNumber()
    default: device.syncOnce()
    }
  }
}
