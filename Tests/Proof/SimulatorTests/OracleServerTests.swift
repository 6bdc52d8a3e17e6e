import ChildPrograms
import LocalStore
import Model
import ServerCore
import Testing
import Wire

@testable import Simulator

/// Histories in which the server breaks a promise.
@Suite(.computing) struct `The oracle finds a server` {
  /// Makes a contact, and an accepted alert of which the responder was told.
  private func scene() throws -> (scene: OracleScene, device: SceneDevice, alert: AlertID) {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.sync()
    let alert = try device.raise()
    try device.exchange(.emergency)
    try scene.deliver()
    try device.sync()
    #expect(scene.unsettled() == [])
    return (scene, device, alert)
  }

  private func change(_ response: FullResponse, _ change: (inout SyncResponse) -> Void) throws -> FullResponse {
    var answer = try SyncResponse(jsonBytes: response.body)
    change(&answer)
    return FullResponse(status: 200, mediaType: "application/json", body: answer.json())
  }

  @Test func `that applies an item twice`() throws {
    let (scene, device, _) = try scene()
    try device.put(nil, "Eva")
    try device.exchange(.routine)
    let last = try #require(scene.lastExchange)
    scene.oracle.answered(last.request, last.response, account: last.account, now: scene.now)
    #expect(scene.broken == [.once])
  }

  @Test func `that reports an item as a duplicate although it never applied it`() throws {
    let (scene, device, _) = try scene()
    try device.put(nil, "Eva")
    scene.look()
    try device.exchange(.routine, .diesAnswering)
    let other = try OracleScene()
    let last = try #require(scene.lastExchange)
    let answer = try change(last.response) { $0.results[0].status = .duplicate }
    other.oracle.answered(last.request, answer, account: last.account, now: 0)
    #expect(other.broken.contains(.once))
  }

  @Test func `that answers an item that was not sent`() throws {
    let (scene, device, _) = try scene()
    try device.exchange(.routine)
    let last = try #require(scene.lastExchange)
    let answer = try change(last.response) {
      $0.results.append(ItemResult(id: "other", status: .applied, appliedAt: OracleScene.start))
    }
    scene.oracle.answered(last.request, answer, account: last.account, now: scene.now)
    #expect(scene.broken == [.once])
  }

  @Test func `that forgets that it applied an item`() throws {
    let (scene, _, _) = try scene()
    try scene.spoilServer("DELETE FROM mutations")
    #expect(scene.finish() == [.once])
  }

  @Test func `that lost an alert`() throws {
    let (scene, _, _) = try scene()
    try scene.spoilServer("DELETE FROM alerts")
    #expect(scene.finish() == [.convergence])
  }

  @Test func `that lost a contact`() throws {
    let (scene, _, _) = try scene()
    try scene.spoilServer("DELETE FROM contacts")
    #expect(scene.finish() == [.convergence])
  }

  @Test func `whose devices differ`() throws {
    let (scene, device, _) = try scene()
    let other = try scene.device()
    try other.signIn("+12025550101")
    try other.sync()
    #expect(scene.unsettled() == [])
    try device.put(nil, "Eva")
    try device.sync()
    try scene.deliver()
    #expect(scene.unsettled() != [])
    #expect(scene.finish() == [.convergence])
  }

  @Test func `that never told the responders`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put()
    try device.raise()
    try device.sync()
    #expect(scene.finish() == [.nothingLost])
  }

  @Test func `that never told the responders of the end`() throws {
    let (scene, device, _) = try scene()
    try device.end()
    try device.sync()
    #expect(scene.finish() == [.nothingLost])
  }

  @Test func `only if it does not say why it cannot tell a responder`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.put(channel: "mailto:ana@example.org")
    try device.raise()
    try device.sync()
    #expect(scene.finish() == [])
  }

  @Test func `that sends a call for help after "safe now"`() throws {
    let (scene, device, alert) = try scene()
    try device.end()
    try device.sync()
    try scene.deliver()
    #expect(scene.broken == [])
    let late = ResponderMessage(channel: "https://ana.example/hook", alert: alert, kind: .help, text: "help")
    scene.oracle.arrived(late, now: scene.now)
    #expect(scene.broken == [.order])
  }

  @Test func `that tells of a real alert as of a drill`() throws {
    let (scene, _, alert) = try scene()
    let message = ResponderMessage(
      channel: "https://ana.example/hook", alert: alert, kind: .help, text: "DRILL", isMarkedAsDrill: true)
    scene.oracle.arrived(message, now: scene.now)
    #expect(scene.broken == [.drillsApart])
  }

  @Test func `that shows as acknowledged what nobody pressed`() throws {
    let (scene, _, alert) = try scene()
    let delivery = try #require(try scene.deliveries(of: alert).first)
    try scene.finish(delivery, .acknowledged)
    scene.oracle.presses(.touch, about: alert, by: delivery.target.contact)
    scene.oracle.presses(.answer(.cannot), about: alert, by: delivery.target.contact)
    scene.oracle.checkPresses(scene.server, now: scene.now)
    #expect(scene.broken == [.pressed])
  }

  @Test func `that shows as acknowledged what was pressed`() throws {
    let (scene, _, alert) = try scene()
    let delivery = try #require(try scene.deliveries(of: alert).first)
    try scene.finish(delivery, .acknowledged)
    scene.oracle.presses(.answer(.onMyWay), about: alert, by: delivery.target.contact)
    scene.oracle.checkPresses(scene.server, now: scene.now)
    #expect(scene.broken == [])
  }

  @Test func `that tells strangers of an alert`() throws {
    let (scene, _, alert) = try scene()
    let message = ResponderMessage(channel: "https://other.example/hook", alert: alert, kind: .help, text: "help")
    scene.oracle.arrived(message, now: scene.now)
    #expect(scene.broken == [.apart])
  }

  @Test func `that sends one account's alert to another`() throws {
    let (scene, _, _) = try scene()
    let stranger = try scene.device()
    try stranger.signIn("+12025550102")
    let alert = try stranger.raise()
    try stranger.exchange(.emergency)
    let last = try #require(scene.lastExchange)
    let empty = SyncRequestWriter.body(
      deviceID: try stranger.store.deviceID(), cursor: nil, mutations: [], notifications: [], limit: 50)
    var request = last.request
    request.body = empty
    let answer = try change(last.response) { $0.results = [] }
    let first = try #require(scene.devices[0].account)
    scene.oracle.answered(request, answer, account: first, now: scene.now)
    #expect(scene.broken == [.apart])
    #expect(scene.oracle.violations[0].text.contains(alert.description))
  }

  @Test func `that stores one account's alert for another`() throws {
    let (scene, device, _) = try scene()
    let stranger = try scene.device()
    try stranger.signIn("+12025550102")
    try device.put(nil, "Eva")
    try device.exchange(.routine, .lostAnswer)
    let last = try #require(scene.lastExchange)
    let other = try #require(stranger.account)
    let answer = try change(last.response) { $0.changes = [] }
    scene.oracle.answered(last.request, answer, account: other, now: scene.now)
    #expect(scene.broken == [.apart])
  }

  // MARK: Refusals

  /// Tells the oracle that the server refused the first item of the last exchange with this code.
  private func refuse(_ scene: OracleScene, as code: String, endedAt: Timestamp? = nil) throws {
    let last = try #require(scene.lastExchange)
    let answer = try change(last.response) { answer in
      answer.results = [
        ItemResult(id: answer.results[0].id, status: .rejected, code: code, message: "", endedAt: endedAt)
      ]
      answer.changes = []
    }
    scene.oracle.answered(last.request, answer, account: last.account, now: scene.now)
  }

  @Test(arguments: [ItemResult.alertEnded, ItemResult.unknownAlert, ItemResult.newerCallForHelp])
  func `that refuses a call for help in an active alert`(code: String) throws {
    let (scene, device, _) = try scene()
    try device.raise(message: "smoke")
    try device.exchange(.emergency, .untold)
    try refuse(scene, as: code, endedAt: OracleScene.start)
    #expect(scene.broken == [.nothingLost])
  }

  @Test(arguments: [ItemResult.newerCallForHelp, ItemResult.unknownAlert])
  func `that refuses an end after which nobody called`(code: String) throws {
    let (scene, device, _) = try scene()
    try device.end()
    try device.exchange(.emergency, .untold)
    try refuse(scene, as: code)
    #expect(scene.broken == [.nothingLost])
  }

  @Test(arguments: ["too_many_contacts", InvalidInput.Code.channel.rawValue, "forbidden"])
  func `that refuses a contact for which there is room`(code: String) throws {
    let (scene, device, _) = try scene()
    try device.put(nil, "Eva")
    try device.exchange(.routine, .untold)
    try refuse(scene, as: code)
    #expect(scene.broken == [.nothingLost])
  }

  @Test func `that refuses an alert`() throws {
    let (scene, device) = try OracleScene.signedIn()
    try device.raise()
    try device.exchange(.emergency, .untold)
    try refuse(scene, as: "too_many_alerts")
    #expect(scene.broken == [.nothingLost])
  }

  @Test(arguments: ["alert_not_ended", ItemResult.unknownAlert])
  func `that refuses to tell responders of an end`(code: String) throws {
    let (scene, device, _) = try scene()
    try device.end()
    try device.exchange(.emergency, .untold)
    let last = try #require(scene.lastExchange)
    let answer = try change(last.response) {
      $0.changes = []
      $0.results[1].status = .rejected
      $0.results[1].code = code
    }
    scene.oracle.answered(last.request, answer, account: last.account, now: scene.now)
    #expect(scene.broken == [.nothingLost])
  }

  @Test func `that refuses an exchange as a whole`() throws {
    let (scene, device, _) = try scene()
    try device.put(nil, "Eva")
    try device.exchange(.routine, .untold)
    let last = try #require(scene.lastExchange)
    let answer = FullResponse(status: 413, mediaType: "application/problem+json", body: [])
    scene.oracle.answered(last.request, answer, account: last.account, now: scene.now)
    #expect(scene.broken == [.nothingLost])
  }
}
