import CurlKit
import DeviceCore
import LocalStore
import Model

// Signing in and out.

extension Person {
  /// Who is signed in on the device.
  var account: AccountID? { (device.peek { try $0.session() } ?? nil)?.accountID }

  func signIn() {
    wantsSession = true
    signInAs(phone)
  }

  private func signInAs(_ phone: String) {
    let result = device.command(during: { .signingIn }) { [device] store in
      let session = AccountSession(store: store, configuration: device.configuration, caller: self.caller())
      try session.checkMaySignIn(as: phone, at: device.moment())
      let pending = try session.requestCode(phone: phone, region: nil, at: device.moment())
      let code = device.server.codes[phone] ?? "000000"
      return try session.confirm(pending.verificationID, of: pending.phone, code: code, at: device.moment())
    }
    switch result {
    case .success(let session)?:
      triedToSignOut = false
      world.note(name, "signs in as \(phone), account \(session.accountID)")
      world.oracle.signedIn(session.accountID, on: device.number, now: world.now)
      device.wasPoked(sendsOnce: true)
    case .failure(let error)?:
      world.note(name, "cannot sign in: \(error)")
      noteDoubt(error, during: .signingIn)
      guard !world.isHealed else { return }
      world.after(random.number(5000...60_000)) { [self] in
        if wantsSession, account == nil, device.isOn, !world.isHealed { signIn() }
      }
    case nil: world.note(name, "signs in, and is told nothing")
    }
  }

  func signOut() {
    triedToSignOut = true
    let agrees = random.chance(0.3)
    let raisesMeanwhile = random.chance(0.15)
    // A hasty change just before.
    if random.chance(0.4) { putContact() }
    device.look()
    var agreed = SignOutAgreement(queuedIDs: [], activeAlerts: [])
    let result = device.command(during: { .signingOut(agreed) }) { [device] store in
      let caller = self.caller(meanwhile: raisesMeanwhile ? { self.raise() } : nil)
      let session = AccountSession(store: store, configuration: device.configuration, caller: caller)
      var agreement = try session.signOutAgreement(at: device.moment())
      if !agrees { agreement = SignOutAgreement(queuedIDs: [], activeAlerts: []) }
      agreed = agreement
      try session.signOut(agreement, at: device.moment())
      return agreement
    }
    switch result {
    case .success(let agreement)?:
      wantsSession = false
      world.note(name, "is signed out")
      world.oracle.signedOut(agreement, on: device.number, now: world.now)
      device.wasPoked(sendsOnce: false)
      if random.chance(0.7) { world.after(random.number(1000...90_000)) { [self] in signIn() } }
    case .failure(let error)?:
      world.note(name, "cannot sign out: \(error)")
      noteDoubt(error, during: .signingOut(agreed))
    case nil: world.note(name, "signs out, and is told nothing")
    }
  }

  /// Another person takes the device.
  func changeNumber() {
    let other = random.one(of: phones)
    guard other != phone else { return }
    phone = other
    signIn()
  }

  /// The network for a command. `meanwhile` happens on the device during the first call.
  private func caller(meanwhile: (() -> Void)? = nil) -> @Sendable (CurlRequest) throws(CurlError) -> CurlResponse {
    let network = CommandNetwork(device: device, meanwhile: meanwhile)
    return { request throws(CurlError) in try network.call(request) }
  }
}

/// The network for a command.
private final class CommandNetwork: @unchecked Sendable {
  // The simulation has one thread, and so does every caller.
  let device: SimulatedDevice
  private var meanwhile: (() -> Void)?

  init(device: SimulatedDevice, meanwhile: (() -> Void)?) {
    self.device = device
    self.meanwhile = meanwhile
  }

  func call(_ request: CurlRequest) throws(CurlError) -> CurlResponse {
    let interruption = meanwhile
    meanwhile = nil
    interruption?()
    return try device.network.call(request, from: device)
  }
}
