import ChildPrograms
import LocalStore
import Model
import Testing

@testable import Simulator

/// Histories in which a device breaks a promise, since the test changes its file without the store.
@Suite(.computing) struct `The oracle finds a device` {
  /// Makes a signed-in device with a contact and a queued alert, all of which the oracle has seen.
  private func scene() throws -> (scene: OracleScene, device: SceneDevice, alert: AlertID, contact: ContactID) {
    let (scene, device) = try OracleScene.signedIn()
    let contact = try device.put()
    let alert = try device.raise(message: "help")
    scene.look()
    #expect(scene.broken == [])
    return (scene, device, alert, contact)
  }

  /// Returns the promises that the oracle finds broken after this change of the device's file.
  private func broken(by sql: String) throws -> [Violation.Promise] {
    let (scene, device, _, _) = try scene()
    try device.spoil(sql)
    scene.look()
    return scene.broken
  }

  @Test func `on which somebody is signed in, although no call can have done that`() throws {
    let scene = try OracleScene()
    let device = try scene.device()
    scene.oracle.died(on: 0, during: .signingIn, now: scene.now)
    scene.look()
    // This overwrites what the dead call wrote.
    try device.raise()
    try device.signInUntold("+12025550101")
    scene.look()
    #expect(scene.broken == [.durable])
  }

  @Test func `that lost an alert`() throws {
    let (scene, device, _, _) = try scene()
    try device.spoil("DELETE FROM pending_notifications; DELETE FROM pending_mutations; DELETE FROM alerts")
    scene.look()
    #expect(scene.broken.contains(.durable))
    #expect(scene.finish().contains(.nothingLost))
  }

  @Test func `that changed an alert`() throws {
    #expect(try broken(by: "UPDATE alerts SET message = 'never mind'") == [.durable])
  }

  @Test func `that lost an alert before the first look`() throws {
    let scene = try OracleScene()
    let device = try scene.device()
    let id = AlertID(EntityID(try device.store.deviceID()))
    let activation = Activation(
      alert: Alert(id: id, startedAt: OracleScene.start), alreadyActive: false, isSpooled: true, press: id)
    scene.oracle.raised(activation, on: 0, account: nil, now: scene.now)
    scene.look()
    #expect(scene.broken == [.durable])
  }

  @Test(arguments: ["fire", nil])
  func `that lost a spooled call of an active alert, before another number signed in`(
    message: String?
  ) throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.raise(message: "help")
    try device.sync()
    try device.raiseApart(message: message)
    device.takeInSpool()
    try device.spoil("DELETE FROM pending_mutations")
    try device.signIn("+12025550102")
    #expect(scene.finish() == [.nothingLost])
  }

  @Test func `that lost a spooled drill, before another number signed in`() throws {
    let (scene, device) = try OracleScene.signedIn()
    Spool.forget(try device.raiseApart(isDrill: true), home: device.home)
    try device.signIn("+12025550102")
    #expect(scene.finish() == [.nothingLost])
  }

  @Test func `that lost an end`() throws {
    let (scene, device, _, _) = try scene()
    try device.end()
    scene.look()
    try device.spoil(
      "DELETE FROM pending_notifications WHERE kind = 'deactivated'; UPDATE alerts SET ended_at = NULL; "
        + "DELETE FROM pending_mutations WHERE kind = 'alert.deactivate'")
    scene.look()
    #expect(scene.broken == [.durable, .nothingLost, .order])
  }

  @Test func `that lost an unsent end of an alert with several calls`() throws {
    let (scene, device, _, _) = try scene()
    try device.raise(message: "here")
    try device.sync()
    try device.end()
    scene.look()
    #expect(scene.broken == [])
    try device.spoil(
      "DELETE FROM pending_notifications WHERE kind = 'deactivated'; UPDATE alerts SET ended_at = NULL; "
        + "DELETE FROM pending_mutations WHERE kind = 'alert.deactivate'")
    scene.look()
    #expect(scene.broken.contains(.nothingLost))
  }

  @Test func `that lost an accepted end of an alert with several calls`() throws {
    let (scene, device, _, _) = try scene()
    try device.raise(message: "here")
    try device.end()
    try device.sync()
    scene.look()
    #expect(scene.broken == [])
    try device.spoil("UPDATE alerts SET ended_at = NULL")
    scene.look()
    #expect(scene.broken == [.durable, .order])
  }

  @Test func `that lost the newest call for help, although a later call died`() throws {
    let (scene, device, _, _) = try scene()
    try device.sync()
    let told = try device.store.activateAlert(AlertDraft(message: "told"), at: device.moment)
    scene.oracle.raised(told, saying: "told", on: 0, account: device.account, now: scene.now)
    scene.oracle.died(on: 0, during: .raising(saying: "untold"), now: scene.now)
    try device.spoil("DELETE FROM pending_mutations WHERE kind = 'alert.update'")
    try device.sync()
    #expect(scene.finish().contains(.lastWord))
  }

  /// The calls of which the oracle says that they never reached the server, after this change of the device's file.
  private func unheard(after sql: String) throws -> [String] {
    let (scene, device, _, _) = try scene()
    try device.sync()
    for message in ["one", "two", "three"] {
      let told = try device.store.activateAlert(AlertDraft(message: message), at: device.moment)
      scene.oracle.raised(told, saying: message, on: 0, account: device.account, now: scene.now)
    }
    try device.spoil(sql)
    try device.sync()
    return scene.unsettled().filter { $0.contains("never reached the server") }
  }

  @Test func `that lost the words of a call between two others`() throws {
    #expect(try unheard(after: "SELECT 1") == [])
    let lost = try unheard(after: "DELETE FROM pending_mutations WHERE body LIKE '%two%'")
    #expect(lost == ["I5: the call “two” was saved on device 0, and never reached the server"])
  }

  @Test func `that lost the words of a call, but not where they are joined with others`() throws {
    let lost = try unheard(
      after: """
        DELETE FROM pending_mutations WHERE body LIKE '%one%' OR body LIKE '%two%';
        UPDATE pending_mutations SET body = replace(body, 'three', 'three / two') WHERE body LIKE '%three%'
        """)
    #expect(lost.count == 1 && lost.first?.contains("“one”") == true)
  }

  @Test func `that lost a contact`() throws {
    #expect(try broken(by: "DELETE FROM contacts") == [.durable])
  }

  @Test func `that shows a contact as it was before`() throws {
    let (scene, device, _, contact) = try scene()
    try device.sync()
    try device.put(contact, "Eva")
    try device.sync()
    scene.look()
    #expect(scene.broken == [])
    try device.spoil("UPDATE contacts SET name = 'Ana', channels = 'https://ana.example/hook'")
    scene.look()
    #expect(scene.broken == [.convergence])
  }

  @Test func `that forgot who is signed in`() throws {
    #expect(try broken(by: "DELETE FROM sync_state WHERE key = 'refresh_token'") == [.durable])
  }

  @Test func `with an alert that is not queued`() throws {
    #expect(try broken(by: "DELETE FROM pending_mutations WHERE kind = 'alert.activate'") == [.whole, .nothingLost])
  }

  @Test func `with an alert without its notification request`() throws {
    #expect(try broken(by: "DELETE FROM pending_notifications") == [.whole, .nothingLost])
  }

  @Test func `with an end that is not queued`() throws {
    #expect(try broken(by: "UPDATE alerts SET ended_at = 1") == [.whole])
  }

  @Test func `with a mutation whose alert is gone`() throws {
    let scene = try OracleScene()
    let device = try scene.device()
    _ = try device.store.activateAlert(AlertDraft(), at: device.moment)
    try device.spoil("DELETE FROM alerts")
    scene.look()
    #expect(scene.broken == [.whole])
  }

  @Test func `that dropped a queued item`() throws {
    #expect(try broken(by: "DELETE FROM pending_mutations WHERE kind = 'contact.put'") == [.nothingLost])
  }

  @Test func `that dropped a call for help after its end was refused`() throws {
    let (scene, one, other) = try OracleScene.ofTwoDevices()
    try one.raise(message: "help")
    try one.sync()
    try other.sync()
    try one.raise(message: "here")
    try one.sync()
    try other.end()
    try other.exchange(.emergency)
    try other.raise(message: "there")
    scene.look()
    #expect(scene.broken == [])
    try other.spoil("DELETE FROM pending_mutations WHERE kind = 'alert.update'")
    scene.look()
    #expect(scene.broken == [.nothingLost])
  }

  @Test func `that shows an alert as discarded`() throws {
    #expect(try broken(by: "UPDATE alerts SET discarded_at = 1") == [.nothingLost])
  }

  @Test func `that lets an alert become active again`() throws {
    let (scene, device, _, _) = try scene()
    try device.sync()
    let other = try scene.device()
    try other.signIn("+12025550101")
    try other.sync()
    try other.end()
    try other.sync()
    try device.sync()
    scene.look()
    #expect(scene.broken == [])
    try device.spoil("UPDATE alerts SET ended_at = NULL")
    scene.look()
    #expect(scene.broken == [.order])
  }

  @Test func `whose sign-out deleted more than its person agreed to`() throws {
    let (scene, device, _, _) = try scene()
    scene.oracle.signedOut(SignOutAgreement(queuedIDs: [], activeAlerts: []), on: device.number, now: scene.now)
    try device.spoil(
      "DELETE FROM pending_notifications; DELETE FROM pending_mutations; DELETE FROM alerts; DELETE FROM contacts; "
        + "DELETE FROM sync_state WHERE key = 'refresh_token'")
    scene.look()
    #expect(scene.broken == [.durable, .nothingLost])
  }

  @Test func `whose session ended for no reason`() throws {
    let (scene, device, _, _) = try scene()
    scene.oracle.sessionExpired(on: device.number, isExcused: true, now: scene.now)
    #expect(scene.broken == [])
    scene.oracle.sessionExpired(on: device.number, isExcused: false, now: scene.now)
    #expect(scene.broken == [.nothingLost])
  }

  @Test func `whose log grows`() throws {
    let (scene, device, _, _) = try scene()
    scene.oracle.logSize(4 << 20, of: device.number, now: scene.now)
    #expect(scene.broken == [])
    scene.oracle.logSize(8 << 20, of: device.number, now: scene.now)
    #expect(scene.broken == [.bounded])
  }

  @Test func `that sends requests without a limit`() throws {
    let scene = try OracleScene()
    for minute in Int64(0)..<30 {
      for second in Int64(0)..<50 { scene.oracle.requested(by: 0, now: minute * 60_000 + second) }
    }
    #expect(scene.broken == [])
    for second in Int64(0)..<700 { scene.oracle.requested(by: 0, now: 1_800_000 + second) }
    #expect(scene.broken == [.bounded])
  }
}
