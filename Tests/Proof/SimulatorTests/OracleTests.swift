import ChildPrograms
import LocalStore
import Model
import Testing

@testable import Simulator

/// Histories without a broken promise, however odd they look.
@Suite(.computing) struct `The oracle finds nothing` {
  @Test func `where nothing happened`() {
    #expect(Oracle().violations.isEmpty)
  }

  @Test func `in an alert that is raised and ended, with both messages delivered`() throws {
    let (scene, one, other) = try OracleScene.ofTwoDevices()
    try one.put()
    try one.sync()
    try one.raise(message: "help")
    scene.look()
    #expect(scene.unsettled() != [])
    try one.sync()
    try scene.deliver()
    try other.sync()
    try other.end()
    try other.sync()
    try scene.deliver()
    try one.sync()
    try other.sync()
    scene.look()
    #expect(scene.unsettled() == [])
    #expect(scene.finish() == [])
  }

  @Test func `where answers are lost and the server dies answering`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.raise()
    try device.exchange(.emergency, .lostAnswer)
    scene.look()
    try device.end()
    try device.exchange(.emergency, .diesAnswering)
    scene.look()
    try device.sync()
    try scene.deliver()
    try device.sync()
    #expect(scene.unsettled() == [])
    #expect(scene.finish() == [])
  }

  @Test func `where an alert from before the sign-in becomes the account's`() throws {
    let scene = try OracleScene()
    let device = try scene.device()
    try device.put()
    try device.raise()
    try device.reopen()
    #expect(scene.unsettled() == [])
    try device.signIn("+12025550101")
    try device.sync()
    try scene.deliver()
    try device.sync()
    #expect(scene.finish() == [])
  }

  @Test func `where a person discards queued items`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.raise()
    scene.look()
    try device.discard("contact.put")
    try device.discard("notification.activated")
    scene.look()
    try device.discard("alert.activate")
    scene.look()
    try device.raise()
    try device.sync()
    try device.end()
    scene.look()
    try device.discard("alert.deactivate")
    try device.sync()
    #expect(scene.finish() == [])
  }

  @Test func `where a person signs out and agrees to lose what is queued`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.sync()
    try device.raise()
    try device.signOut()
    scene.look()
    try device.signIn("+12025550102")
    try device.raise()
    try device.sync()
    #expect(scene.finish() == [])
  }

  @Test func `where another number signs in after everything was sent`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.raise()
    try device.sync()
    try scene.deliver()
    try device.sync()
    try device.signIn("+12025550102")
    scene.look()
    try device.sync()
    #expect(scene.finish() == [])
  }

  @Test(arguments: [false, true])
  func `where another number signs in, and spooled calls were sent in the active alert`(isSeen: Bool) throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.raise(message: "help")
    try device.sync()
    try scene.deliver()
    try device.raiseApart(message: "smoke")
    try device.raiseApart(message: "fire")
    try device.raiseApart()
    try device.raiseApart(message: "a drill", isDrill: true)
    device.takeInSpool()
    if isSeen { scene.look() }
    try device.sync()
    try scene.deliver()
    try device.sync()
    if isSeen { scene.look() }
    try device.signIn("+12025550102")
    try device.sync()
    #expect(scene.finish() == [])
  }

  @Test func `where another number signs in, and spooled calls became one alert since theirs had ended`() throws {
    let (scene, one, other) = try OracleScene.ofTwoDevices()
    try one.put()
    try one.raise(message: "help")
    try one.sync()
    try scene.deliver()
    try other.sync()
    try other.end()
    try other.sync()
    try scene.deliver()
    let first = try one.raiseApart()
    let second = try one.raiseApart(message: "fire")
    one.takeInSpool()
    for _ in 1...2 { try one.sync() }
    try scene.deliver()
    try one.sync()
    #expect(try one.store.carriedPresses() == [first: second])
    scene.look()
    try one.signIn("+12025550102")
    try one.sync()
    try other.sync()
    #expect(scene.finish() == [])
  }

  @Test(arguments: [false, true], [false, true])
  func `where a device withdraws its end, and it or another one ends the alert`(
    isSeenOnlyAfter: Bool, isSameDevice: Bool
  ) throws {
    let (scene, one, other) = try OracleScene.ofTwoDevices()
    try one.raise(message: "help")
    try one.sync()
    try other.sync()
    try one.raise(message: "here")
    try one.sync()
    try other.end()
    scene.look()
    try other.sync()
    #expect(try other.store.history(limit: 1, before: nil).entries.first?.alert.isActive == true)
    let ender = isSameDevice ? other : one
    try ender.end()
    try ender.sync()
    if isSeenOnlyAfter { try other.sync() }
    scene.look()
    #expect(scene.broken == [])
  }

  @Test func `where the server is restored, and devices offer again what it lost`() throws {
    let (scene, one, other) = try OracleScene.ofTwoDevices()
    let early = try one.put()
    try one.sync()
    try scene.backUp()
    let late = try one.put(nil, "Eva")
    try one.raise()
    try one.sync()
    try scene.deliver()
    try other.sync()
    try other.end()
    try other.remove(early)
    try other.sync()
    try scene.deliver()
    scene.look()
    try scene.restore()
    scene.look()
    #expect(scene.unsettled() != [])
    for _ in 1...3 {
      try one.sync()
      try other.sync()
      try scene.deliver()
      scene.look()
    }
    #expect(scene.unsettled() == [])
    #expect(scene.finish() == [])
    #expect(try one.store.contacts().map(\.contact.id) == [late])
  }

  @Test func `where calls died with an unknown outcome`() throws {
    let (scene, device) = try OracleScene.signedIn()
    let contact = try device.put()
    try device.sync()
    scene.look()
    _ = try device.store.activateAlert(AlertDraft(), at: device.moment)
    scene.oracle.died(on: 0, now: scene.now)
    scene.look()
    _ = try device.store.removeContact(contact, at: device.moment)
    scene.oracle.died(on: 0, during: .removingContact, now: scene.now)
    scene.look()
    let item = try #require(try device.store.queue().first { $0.kind == "alert.activate" })
    _ = try device.store.discard(item.id, at: device.moment)
    scene.oracle.died(on: 0, during: .discarding(item.id), now: scene.now)
    scene.look()
    let agreement = try device.store.signOutAgreement(at: device.moment)
    try device.store.finishSignOut(of: try device.store.beginSignOut(agreement, at: device.moment), agreement)
    scene.oracle.died(on: 0, during: .signingOut(agreement), now: scene.now)
    scene.look()
    #expect(scene.finish() == [])
  }

  /// The person was told that the newest message is not saved.
  @Test func `where there was no room for the newest call, and an older one is reported instead`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.raise(message: "help")
    try device.sync()
    scene.look()
    let again = try device.store.activateAlert(AlertDraft(message: "here"), at: device.moment)
    scene.oracle.raised(again, saying: "here", on: 0, account: device.account, now: scene.now)
    try device.sync()
    var standing = again
    standing.isCallSaved = false
    scene.oracle.raised(standing, saying: "there", on: 0, account: device.account, now: scene.now)
    scene.look()
    #expect(scene.broken == [])
  }

  /// Waiting calls are sent as one, with the newest message.
  @Test func `where the newest message is that of a call that died`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.raise()
    let told = try device.store.activateAlert(AlertDraft(message: "told"), at: device.moment)
    scene.oracle.raised(told, saying: "told", on: 0, account: device.account, now: scene.now)
    _ = try device.store.activateAlert(AlertDraft(message: "untold"), at: device.moment)
    scene.oracle.died(on: 0, during: .raising(saying: "untold"), now: scene.now)
    scene.look()
    try device.sync()
    try scene.deliver()
    try device.sync()
    scene.look()
    #expect(scene.finish() == [])
  }

  /// A process may write its commit to the log, and be killed before other processes can see it.
  @Test func `where the effect of a call that died appears only after the next look`() throws {
    let scene = try OracleScene()
    let device = try scene.device()
    scene.oracle.died(on: 0, during: .signingIn, now: scene.now)
    scene.look()
    try device.signInUntold("+12025550101")
    scene.look()
    #expect(scene.finish() == [])
  }
}
