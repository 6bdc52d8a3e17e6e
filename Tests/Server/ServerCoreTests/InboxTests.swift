import Model
import Testing
import Wire

@testable import ServerCore

/// The alerts of others on a responder's own devices, and what they answer there.
@Suite struct `An inbox` {
  private let server: AlertsServer
  private let person: AlertsDevice
  private let ana: AlertsDevice
  private static let anasPhone = "+12025550199"

  init() throws {
    server = try AlertsServer()
    person = try server.signIn("+12025550123")
    ana = try server.signIn(Self.anasPhone)
    try person.sync([
      try person.contact(AlertsDevice.identifier(), "Ana", phone: Self.anasPhone, "https://a.example/hook")
    ])
  }

  /// What the device knows, pulled from the start.
  private func inbox(of device: AlertsDevice) throws -> [InboxAlert] {
    let answer = try SyncResponse(jsonBytes: device.another().exchange(sentAt: server.now).body)
    return answer.changes.compactMap { if case .inbox(_, let alert) = $0 { alert } else { nil } }
  }

  private func only(of device: AlertsDevice) throws -> InboxAlert { try #require(try inbox(of: device).last) }

  private func claim() throws -> ClaimedDeliveries {
    try server.core.claimDeliveries(limit: 100, at: server.moment(), in: server.store)
  }

  @discardableResult
  private func say(_ change: Mutation.Change, to alert: InboxAlert, by device: AlertsDevice) throws -> SyncResponse {
    let mutation = device.mutation(EntityID(alert.id), server.now, change)
    return try SyncResponse(jsonBytes: device.exchange([mutation], sentAt: server.now).body)
  }

  private func states(_ alert: AlertID, _ channel: Channel.Kind = .app) throws -> [DeliveryState] {
    try person.receipts(alert).filter { $0.channel == channel }.map(\.state)
  }

  @Test func `holds an alert as soon as its responders are told, with all that they need`() throws {
    try person.sync([person.mutation(.profile, server.now, .putProfile(try Profile(name: "Zoë")))])
    let place = try Location(latitude: 46.5, longitude: 7.9)
    let id = try person.raise(message: "I fell", location: place)
    #expect(try server.nextDue() == server.now, "the delivery loop looks at once")
    let claimed = try claim()
    #expect(claimed.changedAccounts.contains(ana.account) && claimed.changedAccounts.contains(person.account))
    let alert = try only(of: ana)
    #expect(alert.alertID == id && alert.phone == "+12025550123" && alert.name == "Zoë" && alert.isActive)
    #expect(alert.message == "I fell" && alert.place?.location == place && !alert.isDrill && alert.response == nil)
    #expect(try states(id) == [.sent])
    let url = try #require(alert.pageURL)
    let page = server.send("GET", String(url.dropFirst("https://server.example".count)))
    #expect(page.status == 200 && page.text.contains("I fell"))
    #expect(try inbox(of: person).isEmpty)
  }

  @Test func `has nothing of people who did not name its owner, or named them as no responder`() throws {
    let stranger = try server.signIn("+12025550177")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Eve", phone: "+12025550177", isResponder: false)])
    _ = try person.raise()
    _ = try claim()
    #expect(try inbox(of: stranger).isEmpty)
    #expect(try inbox(of: ana).count == 1)
  }

  @Test func `follows the alert to its end, and is written only when something changed`() throws {
    let id = try person.raise()
    _ = try claim()
    #expect(try !claim().changedAccounts.contains(ana.account))
    let update = AlertUpdate(at: server.now, message: "bleeding", batteryPercent: 7)
    try person.sync([person.mutation(EntityID(id), server.now, .updateAlert(update))])
    _ = try claim()
    #expect(try only(of: ana).message == "bleeding" && only(of: ana).batteryPercent == 7)
    server.advance(seconds: 61)
    _ = try claim()
    #expect(try only(of: ana).askedAgain == 1)
    try person.end(id)
    _ = try claim()
    #expect(try only(of: ana).endedAt != nil)
    let notices = try person.receipts(id).filter { $0.channel == .app }
    #expect(Set(notices.map(\.notice)) == [.activated, .deactivated] && notices.allSatisfy { $0.state == .sent })
  }

  private func say(_ words: [String?], of alert: AlertID) throws {
    try person.sync(
      words.map { words in
        person.mutation(EntityID(alert), server.now, .updateAlert(AlertUpdate(at: server.now, message: words)))
      })
    _ = try claim()
  }

  @Test func `has the words of all calls, each with its time`() throws {
    let start = server.now
    let id = try person.raise(message: "I fell")
    _ = try claim()
    #expect(try only(of: ana).message == "I fell" && only(of: ana).earlierMessages.isEmpty)
    server.advance(seconds: 60)
    try say(["rope is stuck", nil, "it snows"], of: id)
    let alert = try only(of: ana)
    #expect(alert.message == "it snows" && !alert.hasMoreMessages)
    #expect(
      alert.earlierMessages == [
        InboxAlert.EarlierMessage("rope is stuck", at: server.now), InboxAlert.EarlierMessage("I fell", at: start),
      ])
  }

  @Test func `keeps the first words where there are too many`() throws {
    let id = try person.raise(message: "first")
    try say((1...10).map { "call \($0)" }, of: id)
    #expect(try only(of: ana).earlierMessages.count == 10 && !only(of: ana).hasMoreMessages)
    try say(["call 11"], of: id)
    let alert = try only(of: ana)
    #expect(alert.message == "call 11" && alert.hasMoreMessages)
    #expect(alert.earlierMessages.map(\.text) == (2...10).reversed().map { "call \($0)" } + ["first"])
  }

  @Test func `of the new number of a contact has a receipt of its own`() throws {
    let contact: ContactID = AlertsDevice.identifier()
    let (ben, carl) = (try server.signIn("+12025550188"), try server.signIn("+12025550155"))
    try person.sync([try person.contact(contact, "Ben", phone: "+12025550188")])
    let id = try person.raise()
    _ = try claim()
    try say(.seeInbox, to: only(of: ben), by: ben)
    func receipts() throws -> [Receipt] {
      try person.receipts(id).filter { $0.channel == .app && $0.contactID == contact }
    }
    #expect(try receipts().map(\.state) == [.seen])
    try person.sync([try person.contact(contact, "Carl", phone: "+12025550155")])
    #expect(try receipts().map(\.isOfEarlierNumber) == [true])
    _ = try claim()
    #expect(try receipts().map(\.state) == [.sent] && receipts().map(\.contactName) == ["Carl"])
    #expect(try receipts().map(\.isOfEarlierNumber) == [false])
    #expect(try only(of: carl).isActive)
  }

  @Test func `takes an answer, which the person and the others see`() throws {
    let ben = try server.signIn("+12025550188")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188")])
    let id = try person.raise()
    _ = try claim()
    let answer = try say(.answerInbox(InboxAnswer(.onMyWay, text: "two minutes")), to: only(of: ana), by: ana)
    #expect(answer.statuses == [.applied])
    guard case .inbox(_, let shown?) = answer.changes.last else { return #expect(Bool(false), "the answer shows it") }
    #expect(shown.response?.answer == InboxAnswer(.onMyWay, text: "two minutes"))
    let receipt = try #require(try person.receipts(id).first { $0.contactName == "Ana" && $0.channel == .app })
    #expect(receipt.state == .acknowledged && receipt.reason == "on the way: “two minutes”")
    _ = try claim()
    #expect(try only(of: ben).comers == ["Ana"] && only(of: ben).response == nil)
    #expect(try only(of: ana).comers.isEmpty)
    try say(.answerInbox(InboxAnswer(.cannot)), to: only(of: ana), by: ana)
    _ = try claim()
    #expect(try only(of: ben).comers.isEmpty)
    #expect(try states(id).contains(.acknowledged) == false)
  }

  @Test func `takes an answer of the page, and the page one of the inbox`() throws {
    let id = try person.raise()
    _ = try claim()
    let path = try #require(try only(of: ana).pageURL).dropFirst("https://server.example".count)
    _ = server.send(
      "POST", "\(path)/acknowledgements", Array("answer=there".utf8), contentType: "application/x-www-form-urlencoded")
    _ = try claim()
    #expect(try only(of: ana).response?.answer.answer == .there)
    #expect(try states(id) == [.acknowledged])
    try say(.answerInbox(InboxAnswer(.handingOver)), to: only(of: ana), by: ana)
    #expect(try states(id) == [.seen])
  }

  @Test func `seen is what a person opened, once`() throws {
    let id = try person.raise()
    _ = try claim()
    _ = try inbox(of: ana)
    #expect(try states(id) == [.sent])
    #expect(try say(.seeInbox, to: only(of: ana), by: ana).statuses == [.applied])
    #expect(try states(id) == [.seen])
  }

  @Test func `refuses answers to what has ended, and to what is not there`() throws {
    let id = try person.raise()
    _ = try claim()
    let alert = try only(of: ana)
    #expect(try say(.answerInbox(InboxAnswer(.there)), to: alert, by: person).codes == ["unknown_alert"])
    try person.end(id)
    // The end is not in the inbox yet: the answer is taken, and changes nothing.
    #expect(try say(.answerInbox(InboxAnswer(.there)), to: alert, by: ana).statuses == [.applied])
    #expect(try states(id) == [.sent])
    _ = try claim()
    #expect(try say(.answerInbox(InboxAnswer(.there)), to: alert, by: ana).codes == ["alert_ended"])
    #expect(try say(.seeInbox, to: alert, by: ana).codes == ["alert_ended"])
  }

  @Test func `takes an answer that waited from the time when it was given`() throws {
    let ben = try server.signIn("+12025550188")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188")])
    let id = try person.raise()
    _ = try claim()
    let given = server.now
    server.advance(seconds: 600)
    _ = try claim()
    let alert = try only(of: ana)
    let late = ana.mutation(EntityID(alert.id), given, .answerInbox(InboxAnswer(.onMyWay)))
    #expect(try SyncResponse(jsonBytes: ana.exchange([late], sentAt: server.now).body).statuses == [.applied])
    #expect(try only(of: ana).response?.at == given)
    _ = try claim()
    #expect(try only(of: ben).comers == ["Ana"])
    server.advance(milliseconds: AskingSchedule.checkMilliseconds - 600_000)
    _ = try claim()
    #expect(try only(of: ana).isAskedToConfirm)
    #expect(try states(id).contains(.acknowledged))
  }

  @Test func `refuses an answer that is older than another, and one that waited too long to be counted on`() throws {
    let id = try person.raise()
    _ = try claim()
    let given = server.now
    let alert = try only(of: ana)
    let late = ana.mutation(EntityID(alert.id), given, .answerInbox(InboxAnswer(.onMyWay)))
    server.advance(milliseconds: AskingSchedule.lapseMilliseconds)
    #expect(try SyncResponse(jsonBytes: ana.exchange([late], sentAt: server.now).body).codes == ["answer_lapsed"])
    try say(.answerInbox(InboxAnswer(.cannot)), to: alert, by: ana)
    #expect(try SyncResponse(jsonBytes: ana.exchange([late], sentAt: server.now).body).codes == ["older_answer"])
    #expect(try states(id) == [.seen])
  }

  @Test func `takes a newer answer of a device whose clock is slow, and any after the server's clock was set back`()
    throws
  {
    let id = try person.raise()
    _ = try claim()
    let alert = try only(of: ana)
    try say(.answerInbox(InboxAnswer(.cannot)), to: alert, by: ana)
    server.advance(seconds: 10)
    // Fifty seconds slow: less than what the times of alerts are corrected for.
    let slow = server.now.advanced(byMilliseconds: -50_000)
    let answer = ana.mutation(EntityID(alert.id), slow, .answerInbox(InboxAnswer(.onMyWay)))
    #expect(try SyncResponse(jsonBytes: ana.exchange([answer], sentAt: slow).body).statuses == [.applied])
    #expect(try only(of: ana).response?.at == server.now)
    server.advance(seconds: -600)
    #expect(try say(.answerInbox(InboxAnswer(.there)), to: alert, by: ana).statuses == [.applied])
    #expect(try states(id) == [.acknowledged] && only(of: ana).response?.answer.answer == .there)
  }

  @Test func `of each of many people's responders is written, a part with each claim`() throws {
    let others = try (0..<3).map { try server.signIn("+1202555011\($0)") }
    for other in others {
      try other.sync([try other.contact(AlertsDevice.identifier(), "Ana", phone: Self.anasPhone)])
      for _ in 0..<40 { _ = try other.raise() }
    }
    var claims = 0
    while try server.nextDue() == server.now, claims < 10 {
      _ = try claim()
      claims += 1
    }
    #expect(try inbox(of: ana).count == 120)
    #expect((2...4).contains(claims), "\(claims) claims")
  }

  @Test func `reaches nobody who can be counted on: the next tier is told at once where all channels failed`() throws {
    let server = try AlertsServer {
      $0.deliveries.refusalLimit = 1
      $0.deliveries.refusedAfterMilliseconds = 0
    }
    let person = try server.signIn("+12025550123")
    let (ana, ben) = (try server.signIn(Self.anasPhone), try server.signIn("+12025550188"))
    try person.sync([
      try person.contact(AlertsDevice.identifier(), "Ana", phone: Self.anasPhone, "https://a.example/hook"),
      try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188", tier: 2),
    ])
    _ = try person.raise()
    for attempt in try server.claim() { try server.complete(attempt, .status(404, retryAfter: nil)) }
    try server.postToInboxes()
    for device in [ana, ben] {
      #expect(device.another().exchange(sentAt: server.now).text.contains("\"entity\":\"inbox\""))
    }
  }

  @Test func `in a drill has a link of its own: no other channel counts as answered through it`() throws {
    let id = try person.raise(isDrill: true)
    _ = try claim()
    let path = try #require(try only(of: ana).pageURL).dropFirst("https://server.example".count)
    _ = server.send(
      "POST", "\(path)/acknowledgements", Array("answer=responding".utf8),
      contentType: "application/x-www-form-urlencoded")
    #expect(try states(id) == [.acknowledged] && states(id, .webhook) != [.acknowledged])
  }

  @Test func `loses also what has ended of a person whose responder its owner is no more`() throws {
    let contact: ContactID = AlertsDevice.identifier()
    let ben = try server.signIn("+12025550188")
    try person.sync([try person.contact(contact, "Ben", phone: "+12025550188")])
    let id = try person.raise()
    _ = try claim()
    try person.end(id)
    _ = try claim()
    #expect(try only(of: ben).endedAt != nil)
    try person.sync([person.removal(EntityID(contact))])
    _ = try claim()
    #expect(try inbox(of: ben).isEmpty && inbox(of: ana).count == 1)
  }

  @Test func `of a tier that was never told stays empty after the end`() throws {
    let ben = try server.signIn("+12025550188")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188", tier: 2)])
    let id = try person.raise()
    for attempt in try claim().attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    try person.end(id)
    _ = try claim()
    #expect(try inbox(of: ben).isEmpty)
  }

  @Test func `takes the same answer once`() throws {
    let id = try person.raise()
    _ = try claim()
    let mutation = ana.mutation(EntityID(try only(of: ana).id), server.now, .answerInbox(InboxAnswer(.onMyWay)))
    for expected in [ItemResult.Status.applied, .duplicate, .duplicate] {
      #expect(try SyncResponse(jsonBytes: ana.exchange([mutation], sentAt: server.now).body).statuses == [expected])
    }
    #expect(try person.receipts(id).count { $0.state == .acknowledged } == 2)
  }

  @Test func `in a drill is answered for itself: no other channel counts as tested`() throws {
    let id = try person.raise(isDrill: true)
    _ = try claim()
    #expect(try only(of: ana).isDrill)
    try say(.answerInbox(InboxAnswer(.responding)), to: only(of: ana), by: ana)
    #expect(try states(id) == [.acknowledged] && states(id, .webhook) != [.acknowledged])
    let contacts = person.get(Route.contacts).text
    #expect(!contacts.contains("tested"), "\(contacts)")
  }

  @Test func `loses the alerts of a person whose responder its owner is no more`() throws {
    let contact: ContactID = AlertsDevice.identifier()
    let ben = try server.signIn("+12025550188")
    try person.sync([try person.contact(contact, "Ben", phone: "+12025550188")])
    _ = try person.raise()
    _ = try claim()
    let alert = try only(of: ben)
    try person.sync([person.removal(EntityID(contact))])
    #expect(try claim().changedAccounts.contains(ben.account))
    #expect(try inbox(of: ben).isEmpty)
    #expect(try say(.answerInbox(InboxAnswer(.there)), to: alert, by: ben).codes == ["unknown_alert"])
  }

  @Test func `of a new account holds what is active`() throws {
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188")])
    _ = try person.raise()
    _ = try claim()
    let ben = try server.signIn("+12025550188")
    _ = try claim()
    #expect(try inbox(of: ben).count == 1)
  }

  @Test func `of a later tier holds an alert when that tier is told`() throws {
    let ben = try server.signIn("+12025550188")
    try person.sync([
      try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188", "https://b.example/hook", tier: 2)
    ])
    _ = try person.raise()
    for attempt in try claim().attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(try inbox(of: ben).isEmpty)
    for _ in 1...2 {
      server.advance(seconds: 121)
      for attempt in try claim().attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    }
    #expect(try inbox(of: ben).count == 1)
  }

  @Test func `is not told to devices of the first version, nor touched by an alert key`() throws {
    _ = try person.raise()
    _ = try claim()
    #expect(!ana.another().exchange(sentAt: nil).text.contains("inbox"))
    let mutation = ana.mutation(EntityID(try only(of: ana).id), server.now, .answerInbox(InboxAnswer(.there)))
    #expect(try ana.sync([mutation], usesAlertKey: true).codes == ["forbidden"])
  }

  @Test func `survives a crash between the alert and the writing into it`() throws {
    _ = try person.raise()
    let files = try server.copyOfFiles()
    try server.restore(files)
    _ = try claim()
    #expect(try inbox(of: ana).count == 1)
  }
}
