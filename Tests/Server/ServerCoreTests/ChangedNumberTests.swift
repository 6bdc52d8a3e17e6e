import Model
import Testing
import Wire

@testable import ServerCore

/// A contact whose number is changed is another person.
@Suite struct `A contact whose number is changed during an alert` {
  private let scene: AskingScene
  private var server: AlertsServer { scene.server }

  init() throws {
    scene = try AskingScene(others: ["Ben"])
  }

  /// Ben's number becomes that of Carl.
  private func change(
    _ channel: String = "https://ben.example/hook", isResponder: Bool = true, in other: AskingScene? = nil
  ) throws {
    let scene = other ?? scene
    try scene.person.sync([
      try scene.person.contact(
        scene.contacts[1], "Carl", phone: "+12025550155", channel, isResponder: isResponder)
    ])
  }

  private func to(_ name: String, _ attempts: [DeliveryAttempt]) -> [DeliveryAttempt] {
    attempts.filter { $0.url.contains("\(name).example") }
  }

  /// What a device of the person shows, as far as it has heard.
  private func sync(_ mutations: [Mutation] = [], into shown: inout [ReceiptID: Receipt]) throws {
    for case .receipt(let receipt) in try scene.person.sync(mutations).changes { shown[receipt.id] = receipt }
  }

  /// A reminder of the next round that is on its way to Ben.
  private func startReminder() throws -> DeliveryAttempt {
    let due = try #require(try server.nextDue())
    server.advance(milliseconds: due.milliseconds(since: server.now))
    return try #require(to("ben", try server.claim()).first)
  }

  /// Nothing that the device shows as sent counts for the person with the new number.
  private func expectSentToBenAlone(_ shown: [ReceiptID: Receipt]) {
    let told = shown.values.filter { $0.contactID == scene.contacts[1] && $0.state != .queued }
    #expect(told.count == 2 && told.allSatisfy { $0.isOfEarlierNumber && $0.state == .sent && $0.contactName == "Ben" })
  }

  @Test(arguments: ["https://ben.example/hook", "https://carl.example/hook"])
  func `has not answered, is told at once, and the others are asked again`(channel: String) throws {
    try scene.answer("on_my_way", of: 1)
    server.advance(seconds: 5)
    try scene.deliver()
    #expect(scene.page().contains("is on the way"))
    try change(channel)
    let attempts = try scene.deliver() + scene.deliver()
    #expect(to("a", attempts).count == 1, "Ana is asked again")
    let told = try #require(attempts.first { $0.target.contact == scene.contacts[1] })
    #expect(told.url == channel)
    let page = server.send("GET", try PageScene.pagePath(in: told)).text
    #expect(page.contains("data-state=\"help\"") && !page.contains("You answered"))
    #expect(!scene.page().contains("on the way"))
    #expect(try scene.receipts(of: 1).allSatisfy { $0.state != .acknowledged })
    #expect(try !scene.nextRound().isEmpty)
  }

  @Test func `leaves no message acknowledged, of whatever call`() throws {
    try scene.callAgain("worse")
    try scene.deliver()
    _ = try scene.nextRound()
    try scene.answer("on_my_way", of: 1)
    #expect(try scene.receipts(of: 1).contains { $0.state == .acknowledged })
    try change()
    #expect(try scene.receipts(of: 1).allSatisfy { $0.state != .acknowledged })
    #expect(try to("ben", scene.deliver()).count == 1)
  }

  @Test func `is asked like everybody who has not answered`() throws {
    try scene.answer("cannot", of: 1)
    try change()
    try scene.deliver()
    #expect(try to("ben", scene.nextRound()).count == 1)
  }

  @Test func `does not end that somebody else comes`() throws {
    try scene.answer("on_my_way")
    try scene.answer("on_my_way", of: 1)
    try scene.deliver()
    try change()
    let attempts = try scene.deliver() + scene.deliver()
    #expect(to("a", attempts).isEmpty && to("ben", attempts).count == 1)
    #expect(scene.page().contains("You answered"))
  }

  @Test func `is told at once while a message is on its way to the earlier number`() throws {
    let scene = try AskingScene(others: ["Ben"], delivers: false)
    let attempts = try scene.server.claim()
    scene.server.advance(seconds: 1)
    try change(in: scene)
    let told = try scene.server.claim()
    #expect(told.map(\.url) == ["https://ben.example/hook"], "it does not wait for the attempt that is under way")
    let (earlier, later) = (try #require(to("ben", attempts).first), try #require(told.first))
    #expect(try PageScene.pagePath(in: later) != PageScene.pagePath(in: earlier))
    let ids = [earlier, later].map { $0.headers.first { $0.name == "webhook-id" }?.value }
    #expect(ids[0] != ids[1], "a receiver may ignore an id that it has seen")
    for attempt in attempts { try scene.server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(try scene.receipts(of: 1).map(\.state) == [.queued], "that answer is of the earlier person")
    try scene.server.complete(later, .status(200, retryAfter: nil))
    #expect(try scene.receipts(of: 1).map(\.state) == [.sent])
    #expect(try scene.deliver().isEmpty)
  }

  /// A server of before, which shares the store, could not write down the answers of such a message.
  @Test(arguments: [true, false])
  func `leaves the answer of an attempt under way without effect, also before the next one`(isSent: Bool) throws {
    let scene = try AskingScene(others: ["Ben"], delivers: false)
    let attempts = try scene.server.claim()
    try change(in: scene)
    for attempt in attempts { try scene.server.complete(attempt, .status(isSent ? 200 : 410, retryAfter: nil)) }
    #expect(try scene.receipts(of: 1).map(\.state) == [.queued])
    #expect(try to("ben", scene.deliver()).count == 1)
    #expect(try scene.receipts(of: 1).map(\.state) == [.sent])
  }

  @Test(arguments: ["https://ben.example/hook", "https://carl.example/hook"])
  func `is shown as told only once they are, whatever the earlier person was sent`(channel: String) throws {
    try scene.callAgain("worse")
    try scene.deliver()
    #expect(try to("ben", scene.nextRound()).count == 1)
    try change(channel)
    let receipts = try scene.receipts(of: 1)
    let left = receipts.filter { $0.state == .sent }
    #expect(!left.isEmpty && left.allSatisfy { $0.isOfEarlierNumber && $0.contactName == "Ben" })
    let new = receipts.filter { $0.state != .sent }
    #expect(new.map(\.state) == [.queued] && new.map(\.contactName) == ["Carl"])
    #expect(scene.page().contains("<bdi>Carl</bdi>: message is being sent"))
    #expect(try scene.deliver().map(\.url) == [channel])
    #expect(scene.page().contains("<bdi>Carl</bdi>: message sent"))
  }

  /// The reminder waits for another attempt, is on its way, is no longer wanted, or was on its way when the server died. After the number
  /// was changed somebody says that they come, or the alert ends.
  @Test(arguments: ["waits", "fails", "arrives", "dropped", "killed"], ["", "answered", "over"])
  func `is not shown as told by a reminder of an earlier round`(end: String, meanwhile: String) throws {
    var shown: [ReceiptID: Receipt] = [:]
    #expect(try to("ben", scene.nextRound()).count == 1)
    try sync(into: &shown)
    #expect(shown.values.filter { $0.contactID == scene.contacts[1] && $0.state == .sent }.count == 2)
    let reminder = try startReminder()
    if end == "waits" || end == "dropped" { try server.complete(reminder, .networkFailure("timed out")) }
    if end == "dropped" { try scene.answer("on_my_way") }
    try sync(
      [try scene.person.contact(scene.contacts[1], "Carl", phone: "+12025550155", "https://carl.example/hook")],
      into: &shown)
    if meanwhile == "answered" { try scene.answer("on_my_way") }
    if meanwhile == "over" { try sync([scene.person.deactivation(scene.alert)], into: &shown) }
    switch end {
    case "fails": try server.complete(reminder, .networkFailure("timed out"))
    case "arrives": try server.complete(reminder, .status(200, retryAfter: nil))
    case "killed":
      try server.core.takeOverDeliveries(at: server.moment(), in: server.store)
      _ = try server.claim()
    default: break
    }
    try sync(into: &shown)
    expectSentToBenAlone(shown)
  }

  @Test(arguments: [false, true])
  func `is not shown as told by a reminder that had failed and that the operator repeats`(isUnderWay: Bool) throws {
    var shown: [ReceiptID: Receipt] = [:]
    #expect(try to("ben", scene.nextRound()).count == 1)
    try sync(into: &shown)
    try server.restart { ($0.deliveries.refusalLimit, $0.deliveries.refusedAfterMilliseconds) = (1, 0) }
    let refused = try startReminder()
    try server.complete(refused, .status(404, retryAfter: nil))
    #expect(try server.store.read { try $0.replayableDelivery(refused.id) }?.state == .failed)
    server.advance(seconds: 1)
    #expect(try server.core.replay(refused.id, at: server.moment(), in: server.store))
    let claimed = isUnderWay ? to("ben", try server.claim()) : []
    let reminder = claimed.first
    #expect(claimed.count == (isUnderWay ? 1 : 0))
    try sync(
      [try scene.person.contact(scene.contacts[1], "Carl", phone: "+12025550155", "https://carl.example/hook")],
      into: &shown)
    try scene.answer("on_my_way")
    if let reminder { try server.complete(reminder, .status(404, retryAfter: nil)) }
    try sync(into: &shown)
    expectSentToBenAlone(shown)
  }

  @Test func `is not shown as told by a reminder that is queued again after the clock was set back`() throws {
    let target = DeliveryTarget(
      account: scene.person.account, alert: scene.alert, contact: scene.contacts[1],
      channel: try Channel("https://ben.example/hook"))
    var reminder = StoredDelivery(
      id: AlertsDevice.identifier(), target: target, contactName: "Ben", notice: .activated, state: .sent,
      stateAt: server.now, createdAt: server.now)
    reminder.role = .reminder
    let before = server.now.advanced(byMilliseconds: -600_000)
    reminder.queueAgain(at: before, now: before)
    #expect(reminder.isShownAsSent)
    reminder.leaveToEarlierPerson()
    #expect(reminder.isOfEarlierNumber)
  }

  @Test func `is told that the person is safe after the server died amid a reminder to the earlier number`() throws {
    #expect(try to("ben", scene.nextRound()).count == 1)
    _ = try startReminder()
    try change()
    #expect(try to("ben", scene.deliver()).count == 1, "that help is needed")
    try scene.person.end(scene.alert)
    try server.core.takeOverDeliveries(at: server.moment(), in: server.store)
    #expect(try to("ben", scene.deliver() + scene.deliver()).count == 1)
  }

  @Test func `is not shown as told by an attempt to the earlier person that ends later`() throws {
    let scene = try AskingScene(others: ["Ben"], delivers: false)
    let earlier = try #require(to("ben", try scene.server.claim()).first)
    try change("https://carl.example/hook", in: scene)
    try scene.server.complete(earlier, .status(200, retryAfter: nil))
    let receipts = try scene.receipts(of: 1)
    #expect(receipts.filter { $0.state == .sent }.map(\.isOfEarlierNumber) == [true])
    #expect(receipts.filter { $0.state != .sent }.map(\.state) == [.queued])
  }

  /// Then the channel is taken away too, or whoever has it is told of nothing any more, or is no contact.
  @Test(arguments: ["channel", "responder", "contact"])
  func `is not shown as told by an attempt to the earlier person where more is changed amid it`(more: String) throws {
    let scene = try AskingScene(others: ["Ben"], delivers: false)
    let earlier = try #require(to("ben", try scene.server.claim()).first)
    try change("https://carl.example/hook", in: scene)
    switch more {
    case "channel": try change("https://other.example/hook", in: scene)
    case "responder": try change("https://carl.example/hook", isResponder: false, in: scene)
    default: try scene.person.sync([scene.person.removal(EntityID(scene.contacts[1]))])
    }
    try scene.server.complete(earlier, .status(200, retryAfter: nil))
    #expect(try scene.receipts(of: 1).filter { $0.state == .sent }.map(\.isOfEarlierNumber) == [true])
  }

  @Test func `answers for themselves, not for what the earlier person was sent`() throws {
    try scene.callAgain("worse")
    try scene.deliver()
    try change()
    let told = try #require(to("ben", try scene.deliver()).first)
    let page = try PageScene.pagePath(in: told)
    let outcome = server.send(
      "POST", "\(page)/acknowledgements", Array("answer=on_my_way".utf8),
      contentType: "application/x-www-form-urlencoded")
    #expect(outcome.status == 303)
    let answered = try scene.receipts(of: 1).filter { $0.state == .acknowledged }
    #expect(answered.map(\.contactName) == ["Carl"])
  }

  @Test func `is told by a channel of the earlier person that comes back`() throws {
    try change("https://carl.example/hook")
    try scene.deliver()
    try change("https://ben.example/hook")
    #expect(try to("ben", scene.deliver()).count == 1)
    #expect(try scene.receipts(of: 1).allSatisfy { $0.contactName == "Carl" && !$0.isOfEarlierNumber })
  }

  @Test func `is not told where they are no responder`() throws {
    try scene.answer("on_my_way", of: 1)
    try scene.deliver()
    try change(isResponder: false)
    let attempts = try scene.deliver() + scene.deliver()
    #expect(to("a", attempts).count == 1 && to("ben", attempts).isEmpty)
  }

  @Test func `keeps its answer with another name`() throws {
    try scene.answer("on_my_way", of: 1)
    try scene.deliver()
    try scene.person.sync([
      try scene.person.contact(
        scene.contacts[1], "Benno", phone: "+12025550191", "https://ben.example/hook")
    ])
    #expect(try scene.deliver().isEmpty && scene.page().contains("<bdi>Benno</bdi> is on the way"))
  }
}
