import Model
import Testing
import Wire

@testable import ServerCore

/// Responders are asked again until one of them comes.
@Suite struct `Asking again` {
  @Test func `goes by the schedule: 1, 3, 5 and 10 minutes, then every 10 minutes for two hours`() throws {
    let scene = try AskingScene()
    var minutes: [Int64] = []
    while let due = try scene.server.nextDue(), minutes.count < 100 {
      scene.server.advance(milliseconds: due.milliseconds(since: scene.server.now))
      guard try !scene.deliver().isEmpty else { continue }
      minutes.append(scene.server.now.milliseconds(since: scene.raisedAt) / 60_000)
    }
    #expect(minutes == [1, 3, 5, 10] + Array(stride(from: 20, through: 130, by: 10)))
    #expect(minutes.count == AskingSchedule.rounds)
  }

  @Test func `each round takes the next channel of each responder`() throws {
    let scene = try AskingScene(channels: ["https://a.example/1", "https://a.example/2", "https://a.example/3"])
    let rounds = try (0..<4).map { _ in try scene.nextRound().compactMap { $0.target.channel?.url.last } }
    #expect(rounds == [["2"], ["3"], ["1"], ["2"]])
  }

  @Test func `a reminder that does not get through takes another channel at once, and only once`() throws {
    let scene = try AskingScene(channels: ["https://a.example/1", "https://b.example/2", "https://c.example/3"])
    let server = scene.server
    server.advance(seconds: 60)
    let reminder = try #require(try server.claim().first)
    #expect(reminder.url == "https://b.example/2")
    // A retry may be due at once otherwise, by chance.
    try server.complete(reminder, .status(503, retryAfter: "5"))
    let instead = try server.claim()
    #expect(instead.map(\.url) == ["https://a.example/1"] && instead.allSatisfy(\.saysHelp))
    try server.complete(instead[0], .status(503, retryAfter: "5"))
    #expect(try scene.deliver().map(\.url) == ["https://c.example/3"])
    server.advance(seconds: 30)
    let retries = try server.claim()
    #expect(Set(retries.map(\.url)) == ["https://a.example/1", "https://b.example/2"])
    for retry in retries { try server.complete(retry, .networkFailure("no connection")) }
    #expect(try server.claim().isEmpty, "they were asked through the third")
  }

  @Test func `who is asked whether they still come is asked through another channel too`() throws {
    let scene = try AskingScene(channels: ["https://a.example/1", "https://b.example/2"])
    try scene.answer("responding")
    scene.server.advance(seconds: 20 * 60)
    let check = try #require(try scene.server.claim().first)
    try scene.server.complete(check, .networkFailure("no connection"))
    let instead = try scene.deliver()
    #expect(instead.count == 1 && instead[0].url != check.url && !instead[0].saysHelp)
  }

  @Test func `a message that was sent ends nothing, and says that nobody is responding`() throws {
    let scene = try AskingScene()
    let reminder = try #require(try scene.nextRound().first)
    let data = try JSONDocument(reminder.body).root.required("data")
    #expect(
      try data.string("text").contains("needs help.\n") && data.string("text").contains("Nobody is responding yet."))
    #expect(try JSONDocument(reminder.body).root.string("type") == "alert.activated")
    #expect(try data.optionalInteger("asked_again") == 1)
    #expect(reminder.saysHelp)
  }

  @Test func `a receiver that drops repeated ids takes each reminder`() throws {
    let scene = try AskingScene()
    var ids = Set(scene.first.map(\.webhookID))
    for _ in 0..<5 { for attempt in try scene.nextRound() { #expect(ids.insert(attempt.webhookID).inserted) } }
  }

  @Test func `a receiver that drops repeated ids takes the reminders of a second asking too`() throws {
    let scene = try AskingScene()
    var ids = Set(scene.first.map(\.webhookID))
    for _ in 0..<3 {
      for _ in 0..<2 { for attempt in try scene.nextRound() { #expect(ids.insert(attempt.webhookID).inserted) } }
      try scene.answer("responding")
      scene.server.advance(seconds: 1)
      try scene.answer("handing_over")
      for attempt in try scene.deliver() { #expect(ids.insert(attempt.webhookID).inserted) }
    }
  }

  @Test func `an answer ends it, and the others hear once who comes`() throws {
    let scene = try AskingScene(others: ["Ben"])
    _ = try scene.nextRound()
    try scene.answer("responding")
    let news = try scene.deliver()
    #expect(news.map(\.target.contact) == [scene.contacts[1]])
    let text = try JSONDocument(try #require(news.first).body).root.required("data").string("text")
    #expect(text.hasPrefix("Ana is responding to the alert of +12025550123."))
    for help in scene.first { for word in news { #expect(!word.saysHelp && !word.replaces(help)) } }
    scene.server.advance(seconds: 19 * 60)
    #expect(try scene.deliver().isEmpty)
  }

  @Test func `a second answer is no news to the others`() throws {
    let scene = try AskingScene(others: ["Ben", "Cleo"])
    try scene.answer("responding")
    #expect(try scene.deliver().count == 2)
    try scene.answer("responding", of: 1)
    #expect(try scene.deliver().isEmpty)
  }

  @Test func `"I can't" of one leaves the asking of the others as it is`() throws {
    let scene = try AskingScene(others: ["Ben"])
    try scene.answer("cannot")
    #expect(try scene.nextRound().map(\.target.contact) == [scene.contacts[1]])
  }

  @Test func `where all said that they can't, all are asked on`() throws {
    let scene = try AskingScene(others: ["Ben"])
    try scene.answer("cannot")
    try scene.answer("cannot", of: 1)
    #expect(try scene.nextRound().count == 2)
  }

  @Test func `whoever hands over is replaced at once: everybody else is asked again`() throws {
    let scene = try AskingScene(others: ["Ben"])
    try scene.answer("responding")
    _ = try scene.deliver()
    scene.server.advance(seconds: 300)
    try scene.answer("handing_over")
    let asked = try scene.deliver()
    #expect(asked.map(\.target.contact) == [scene.contacts[1]] && asked.allSatisfy(\.saysHelp))
    scene.server.advance(seconds: 120)
    #expect(try scene.deliver().count == 1)
  }

  @Test func `after 20 minutes they are asked whether they still come; a new answer is enough for 20 more`() throws {
    let scene = try AskingScene(others: ["Ben"])
    try scene.answer("responding")
    _ = try scene.deliver()
    scene.server.advance(seconds: 20 * 60)
    let check = try scene.deliver()
    #expect(check.map(\.target.contact) == [scene.contacts[0]])
    let text = try JSONDocument(try #require(check.first).body).root.required("data").string("text")
    #expect(text.hasPrefix("Are you still responding? +12025550123 still needs help."))
    #expect(scene.page().contains("Are you still responding?"))
    try scene.answer("on_my_way")
    #expect(!scene.page().contains("Are you still responding?"))
    scene.server.advance(seconds: 19 * 60)
    #expect(try scene.deliver().isEmpty)
    scene.server.advance(seconds: 60)
    #expect(try scene.deliver().count == 1)
  }

  @Test func `without a confirmation the asking begins again, and the device no longer shows that they come`() throws {
    let scene = try AskingScene(others: ["Ben"])
    try scene.answer("responding")
    _ = try scene.deliver()
    scene.server.advance(seconds: 20 * 60)
    _ = try scene.deliver()
    scene.server.advance(seconds: 5 * 60)
    #expect(Set(try scene.deliver().map(\.target.contact)) == Set(scene.contacts))
    let receipt = try #require(try scene.receipts(of: 0).first)
    #expect(receipt.state == .seen && receipt.reason == "they have not confirmed that they still come")
    scene.server.advance(seconds: 120)
    #expect(try scene.deliver().count == 2)
    try scene.answer("there")
    #expect(try scene.receipts(of: 0).allSatisfy { $0.state == .acknowledged })
    #expect(try scene.deliver().map(\.target.contact) == [scene.contacts[1]], "relief")
  }

  @Test func `the same answer sent twice confirms nothing within a minute, and later it does`() throws {
    let scene = try AskingScene()
    try scene.answer("responding")
    scene.server.advance(seconds: 15 * 60)
    try scene.answer("responding")
    scene.server.advance(seconds: 15 * 60)
    #expect(try scene.deliver().isEmpty)
  }

  @Test func `a reminder's receipt reaches the device once it was sent, and what was sent before stays shown`() throws {
    let scene = try AskingScene()
    let before = try scene.receipts(of: 0)
    scene.server.advance(seconds: 60)
    let attempt = try #require(try scene.server.claim().first)
    #expect(try scene.receipts(of: 0) == before)
    try scene.server.complete(attempt, .networkFailure("no answer"))
    #expect(try scene.receipts(of: 0) == before)
    scene.server.advance(seconds: 30)
    try scene.server.complete(try #require(try scene.server.claim().first), .status(200, retryAfter: nil))
    #expect(try scene.receipts(of: 0).count == before.count + 1)
    #expect(try scene.person.sync().receipts.contains { $0.at == scene.server.now && $0.state == .sent })
  }

  @Test func `after two hours of asking a long alert has no more messages than in the beginning`() throws {
    let scene = try AskingScene()
    for _ in 0..<AskingSchedule.rounds { _ = try scene.nextRound() }
    #expect(try scene.receipts(of: 0).count == 2)
    #expect(try scene.server.nextDue() == nil)
    // A further call begins it again.
    try scene.callAgain("Still here")
    #expect(try scene.deliver().count == 1)
    #expect(try scene.nextRound().count == 1)
  }

  @Test func `a place alone is told where there was none, and begins nothing again`() throws {
    let scene = try AskingScene()
    func report(_ latitude: Double) throws {
      let update = AlertUpdate(
        at: scene.server.now, location: try Location(latitude: latitude, longitude: 2), isCall: false)
      try scene.person.sync(
        [scene.person.mutation(EntityID(scene.alert), scene.server.now, .updateAlert(update))], usesAlertKey: true)
    }
    try report(1)
    #expect(try scene.deliver().count == 1)
    try report(2)
    #expect(try scene.deliver().isEmpty, "it is on the page")
    let reminder = try #require(try scene.nextRound().first)
    #expect(try JSONDocument(reminder.body).root.required("data").string("text").contains("2.0,2.0"))
    while try scene.server.nextDue() != nil { _ = try scene.nextRound() }
    try report(3)
    try scene.server.postToInboxes()
    #expect(try scene.server.nextDue() == nil)
  }

  @Test func `a drill is told once`() throws {
    let scene = try AskingScene(isDrill: true)
    #expect(scene.first.count == 1)
    #expect(try scene.server.nextDue() == nil)
  }

  @Test func `the end stops it, and no reminder follows "safe"`() throws {
    let scene = try AskingScene()
    scene.server.advance(seconds: 60)
    let reminder = try #require(try scene.server.claim().first)
    try scene.person.end(scene.alert)
    #expect(try scene.server.claim().isEmpty, "safe waits for the reminder that is on its way")
    try scene.server.complete(reminder, .networkFailure("no answer"))
    let safe = try scene.server.claim()
    #expect(safe.count == 1 && !safe[0].saysHelp)
    try scene.server.complete(safe[0], .status(200, retryAfter: nil))
    scene.server.advance(seconds: 3600)
    #expect(try scene.server.claim().isEmpty)
    #expect(try scene.server.nextDue() == nil)
  }

  @Test func `a reminder whose place a newer call takes has failed nowhere, and "safe" does not wait for its lease`()
    throws
  {
    let scene = try AskingScene(channels: ["https://a.example/1", "https://b.example/2"])
    let server = scene.server
    server.advance(seconds: 60)
    let reminder = try #require(try server.claim().first)
    try scene.callAgain("worse")
    let calls = try server.claim()
    #expect(calls.count == 2 && calls.contains { $0.replaces(reminder) })
    try server.complete(reminder, .replaced)
    #expect(try server.claim().isEmpty, "nobody is asked through another channel, or once more")
    for call in calls { try server.complete(call, .status(200, retryAfter: nil)) }
    #expect(try scene.receipts(of: 0).allSatisfy { $0.state == .sent })
    try scene.person.end(scene.alert)
    #expect(try server.claim().map(\.saysHelp) == [false, false])
  }

  @Test func `who is asked whether they still come is asked again soon where a newer call takes its place`() throws {
    let scene = try AskingScene(channels: ["https://a.example/1", "https://b.example/2"])
    let server = scene.server
    try scene.answer("responding")
    server.advance(seconds: 20 * 60)
    let check = try #require(try server.claim().first)
    try scene.callAgain("worse")
    let calls = try server.claim()
    #expect(calls.contains { $0.replaces(check) })
    try server.complete(check, .replaced)
    for call in calls { try server.complete(call, .status(200, retryAfter: nil)) }
    server.advance(seconds: 1)
    #expect(try server.claim().map(\.url) == [check.url])
  }

  @Test func `whoever withdraws leaves the others to be asked by their own answers`() throws {
    let scene = try AskingScene(others: ["Ben"])
    let start = scene.server.now
    try scene.answer("responding", of: 1)
    try scene.deliver()
    scene.server.advance(seconds: 15 * 60)
    try scene.answer("responding")
    scene.server.advance(seconds: 60)
    try scene.answer("cannot")
    #expect(try scene.nextRound().map(\.target.contact) == [scene.contacts[1]])
    #expect(scene.server.now.milliseconds(since: start) == AskingSchedule.checkMilliseconds)
    #expect(try scene.nextRound().allSatisfy(\.saysHelp))
    #expect(scene.server.now.milliseconds(since: start) == AskingSchedule.lapseMilliseconds)
  }

  @Test func `whoever withdraws late leaves the others no more time than their own answers had`() throws {
    let scene = try AskingScene(others: ["Ben"])
    let start = scene.server.now
    try scene.answer("responding", of: 1)
    try scene.deliver()
    scene.server.advance(seconds: 10 * 60)
    try scene.answer("responding")
    scene.server.advance(seconds: 13 * 60)
    try scene.answer("cannot")
    #expect(try scene.deliver().map(\.target.contact) == [scene.contacts[1]], "the check, three minutes late")
    #expect(try scene.nextRound().allSatisfy(\.saysHelp))
    #expect(scene.server.now.milliseconds(since: start) == AskingSchedule.lapseMilliseconds)
  }

  @Test func `a server that was down asks once, and then goes by the schedule`() throws {
    let scene = try AskingScene()
    scene.server.advance(seconds: 3600)
    #expect(try scene.deliver().count == 1)
    #expect(try scene.deliver().isEmpty)
    scene.server.advance(seconds: 120)
    #expect(try scene.deliver().count == 1)
  }

  @Test func `a clock that was set back holds nothing up`() throws {
    let scene = try AskingScene()
    scene.server.advance(seconds: -86_400)
    #expect(try scene.deliver().count == 1)
    scene.server.advance(seconds: 120)
    #expect(try scene.deliver().count == 1)
  }

  @Test func `an answer from the future of a clock that was set back is asked about`() throws {
    let scene = try AskingScene()
    try scene.answer("responding")
    scene.server.advance(seconds: -86_400)
    let check = try scene.deliver()
    #expect(check.count == 1 && !check[0].saysHelp)
    try scene.answer("on_my_way")
    scene.server.advance(seconds: 19 * 60)
    #expect(try scene.deliver().isEmpty)
  }

  @Test func `a server that was down asks whether they still come before it asks the others`() throws {
    let scene = try AskingScene(others: ["Ben"])
    try scene.answer("responding")
    _ = try scene.deliver()
    scene.server.advance(seconds: 3600)
    #expect(try scene.deliver().map(\.target.contact) == [scene.contacts[0]], "the check alone")
    scene.server.advance(seconds: 5 * 60)
    #expect(try scene.deliver().count == 2)
  }
}

extension DeliveryAttempt {
  fileprivate var webhookID: String { headers.first { $0.name == "webhook-id" }?.value ?? "" }
}
