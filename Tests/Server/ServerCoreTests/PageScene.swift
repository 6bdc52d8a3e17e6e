import Model
import Testing
import Wire

@testable import ServerCore

/// A person with responders, one alert, and the link that was sent to each.
struct PageScene {
  let server: AlertsServer
  let person: AlertsDevice
  let ana: ContactID
  let ben: ContactID
  let alert: AlertID
  /// The path of Ana's page.
  let path: String

  init(isDrill: Bool = false, name: String = "Ana", message: String? = nil, location: Location? = nil) throws {
    server = try AlertsServer()
    person = try server.signIn("+12025550123")
    let first = try person.contact(AlertsDevice.identifier(), name, "https://a.example/hook")
    let second = try person.contact(
      AlertsDevice.identifier(), "Ben", phone: "+12025550188", "ntfy://b.example/topic")
    try person.sync([first, second])
    let ana = ContactID(first.entityID)
    self.ana = ana
    ben = ContactID(second.entityID)
    alert = try person.raise(message: message, location: location, isDrill: isDrill, offset: 120)
    let attempts = try server.claim()
    let attempt = try #require(attempts.first { $0.target.contact == ana })
    path = try Self.pagePath(in: attempt)
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
  }

  static func pagePath(in attempt: DeliveryAttempt) throws -> String {
    let data = try JSONDocument(attempt.body).root.required("data")
    let url = try data.string("page_url")
    #expect(url.hasPrefix("https://server.example/a/"))
    return String(url.dropFirst("https://server.example".count))
  }

  func get(_ language: String? = nil) -> ServerOutcome {
    server.respond(
      to: ServerRequest(method: "GET", path: path, acceptLanguage: language, remoteAddress: "192.0.2.7")
    ).outcome
  }

  @discardableResult
  func post(_ form: String, to place: String = "acknowledgements") -> ServerOutcome {
    server.send(
      "POST", "\(path)/\(place)", Array(form.utf8), contentType: "application/x-www-form-urlencoded")
  }

  func states(of contact: ContactID) throws -> [DeliveryState] {
    try person.receipts(alert).filter { $0.contactID == contact }.map(\.state)
  }
}
