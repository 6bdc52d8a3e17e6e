import Model
import Testing
import Wire

@testable import ServerCore

/// A person whose responders have webhooks, one alert, and its first messages, which were delivered.
struct AskingScene {
  let server: AlertsServer
  let person: AlertsDevice
  let contacts: [ContactID]
  let alert: AlertID
  let raisedAt: Timestamp
  let first: [DeliveryAttempt]
  private let paths: [ContactID: String]

  init(
    channels: [String] = ["https://a.example/hook"], others: [String] = [], tiers: [Int] = [], isDrill: Bool = false,
    delivers: Bool = true
  ) throws {
    let server = try AlertsServer()
    let person = try server.signIn("+12025550123")
    self.server = server
    self.person = person
    let names = ["Ana"] + others
    let puts = try names.enumerated().map { place, name in
      try person.contact(
        AlertsDevice.identifier(), name, phone: "+1202555019\(place)",
        channels: place == 0 ? channels : ["https://\(name.lowercased()).example/hook"],
        tier: place < tiers.count ? tiers[place] : 1)
    }
    contacts = puts.map { ContactID($0.entityID) }
    try person.sync(puts)
    alert = try person.raise(isDrill: isDrill)
    raisedAt = server.now
    let attempts = delivers ? try server.claim() : []
    first = attempts
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    var paths: [ContactID: String] = [:]
    for attempt in attempts { paths[attempt.target.contact] = try PageScene.pagePath(in: attempt) }
    self.paths = paths
  }

  /// Sends everything that is due now.
  @discardableResult
  func deliver() throws -> [DeliveryAttempt] {
    let attempts = try server.claim()
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    return attempts
  }

  /// Waits for the next round, and sends it.
  func nextRound() throws -> [DeliveryAttempt] {
    try server.postToInboxes()
    let due = try #require(try server.nextDue())
    server.advance(milliseconds: due.milliseconds(since: server.now))
    return try deliver()
  }

  /// On the page of the responder in this place.
  func answer(_ answer: String, of place: Int = 0) throws {
    let path = try #require(paths[contacts[place]])
    let outcome = server.send(
      "POST", "\(path)/acknowledgements", Array("answer=\(answer)".utf8),
      contentType: "application/x-www-form-urlencoded")
    #expect(outcome.status == 303)
  }

  func page() -> String { server.send("GET", paths[contacts[0]] ?? "").text }

  func receipts(of place: Int) throws -> [Receipt] {
    try person.receipts(alert).filter { $0.contactID == contacts[place] }
  }

  func callAgain(_ message: String) throws {
    let update = AlertUpdate(at: server.now, message: message)
    try person.sync([person.mutation(EntityID(alert), server.now, .updateAlert(update))], usesAlertKey: true)
  }
}
