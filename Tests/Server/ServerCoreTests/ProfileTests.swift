import Model
import Testing
import Wire

@testable import ServerCore

/// What a person says of themselves, and where responders read it.
@Suite struct `A profile` {
  private let server: AlertsServer
  private let person: AlertsDevice

  init() throws {
    server = try AlertsServer { $0.smsGateway = GatewayTemplate(url: "https://sms.example/send") }
    person = try server.signIn("+12025550123")
    try person.sync([
      try person.contact(
        AlertsDevice.identifier(), "Ben", "https://a.example/hook", "ntfy://n.example/topic", "sms:+12025550188")
    ])
  }

  private func set(_ name: String, by device: AlertsDevice? = nil) throws -> SyncResponse {
    let device = device ?? person
    let profile = try Profile(name: name)
    return try sync(device, [device.mutation(.profile, server.now, .putProfile(profile))])
  }

  /// Pulls from the start, as a device that is not of the first version.
  private func sync(_ device: AlertsDevice, _ mutations: [Mutation] = []) throws -> SyncResponse {
    try SyncResponse(jsonBytes: device.exchange(mutations, sentAt: server.now).body)
  }

  private struct Sent {
    var webhook = "", topic = "", topicTitle = "", sms = "", page = ""
  }

  private func sent(isDrill: Bool = false) throws -> Sent {
    _ = try person.raise(message: "I fell", isDrill: isDrill)
    var sent = Sent()
    for attempt in try server.claim() {
      let body = String(decoding: attempt.body, as: UTF8.self)
      if attempt.url.hasPrefix("https://a.") {
        sent.webhook = body
        sent.page = server.send("GET", try PageScene.pagePath(in: attempt)).text
      } else if attempt.url.contains("n.example") {
        sent.topic = body
        sent.topicTitle = attempt.headers.first { $0.name == "Title" }?.value ?? ""
      } else {
        sent.sms = try JSONDocument(attempt.body).root.string("text")
      }
    }
    return sent
  }

  private func profiles(_ answer: SyncResponse) -> [Profile] {
    answer.changes.compactMap { if case .profile(_, let profile) = $0 { profile } else { nil } }
  }

  @Test func `is told to the person's other devices, and the newest name counts`() throws {
    let other = person.another()
    #expect(profiles(try sync(other)).isEmpty)
    let answer = try set("Ana García")
    #expect(answer.statuses == [.applied])
    #expect(answer.changes.last == .profile(person.account, try Profile(name: "Ana García")))
    #expect(profiles(try sync(other)).map(\.name) == ["Ana García"])
    let newest = try set("Ana", by: other)
    #expect(profiles(newest).map(\.name) == ["Ana"])
    #expect(profiles(try sync(person)).map(\.name) == ["Ana"])
    #expect(try set("Ana").cursor == newest.cursor, "the same name again is no change")
  }

  @Test func `is not told to devices of the first version, which know no such word`() throws {
    _ = try set("Ana García")
    let first = person.another()
    let known = first.exchange(sentAt: nil)
    #expect(known.status == 200 && !known.text.contains("profile") && known.text.contains("Ben"))
    #expect(first.exchange(sentAt: server.now).text.contains("\"profile\":{\"name\":\"Ana García\"}"))
  }

  @Test func `cannot be changed with an alert key, nor to a name that is none`() throws {
    let mutation = person.mutation(.profile, server.now, .putProfile(try Profile(name: "Eve")))
    #expect(try person.sync([mutation], usesAlertKey: true).codes == ["forbidden"])
    let long = [String(repeating: "x", count: 101), String(repeating: "👩‍👩‍👧‍👦", count: 100)]
    for name in ["", "   ", "a\\u0000b", "a\\nb"] + long {
      let id: MutationID = AlertsDevice.identifier()
      let body = """
        {"device_id":"\(person.id)","mutations":[{"id":"\(id)","kind":"profile.put","entity_id":"\(EntityID.profile)",
        "occurred_at":"\(server.now)","body":{"name":"\(name)"}}]}
        """
      let answer = server.send("POST", Route.sync, Array(body.utf8), token: person.token)
      #expect(try SyncResponse(jsonBytes: answer.body).codes == ["invalid_name"], "\(name)")
    }
  }

  @Test func `stands with the number in every message and on the page`() throws {
    _ = try set("Zoë Ruiz")
    let sent = try sent()
    #expect(sent.webhook.contains(#""person":{"phone":"+12025550123","name":"Zoë Ruiz"}"#))
    #expect(sent.webhook.contains(#""text":"Zoë Ruiz (+12025550123) needs help."#))
    #expect(sent.topic.hasPrefix("Zoë Ruiz (+12025550123) needs help.\n"))
    #expect(sent.topicTitle == HeaderText.encoded("Zoë Ruiz needs help"))
    #expect(sent.page.contains("<h1><bdi>Zoë Ruiz</bdi> <bdi>(+12025550123)</bdi> needs help</h1>"))
    #expect(sent.page.contains("<title>Zoë Ruiz (+12025550123) needs help</title>"))
    #expect(sent.sms.hasPrefix("Zoë Ruiz needs help https://server.example/a/"))
    #expect(sent.sms.hasSuffix("\nCall +12025550123\nI fell"))
  }

  @Test func `is cut where the first 70 characters of a text message must hold the link`() throws {
    _ = try set("Maximiliana Konstantinopolitanska-Hohenzollern of the Northern Valleys")
    let first = try #require(try sent().sms.split(separator: "\n").first)
    #expect(first.hasPrefix("Maximili… needs help https://server.example/a/"))
    #expect(first.utf16.count == 70)
  }

  @Test func `with markup is shown, never run`() throws {
    _ = try set(#"<img src=x onerror=alert(1)>"&'{time}"#)
    let sent = try sent()
    #expect(sent.page.contains("<bdi>&lt;img src=x onerror=alert(1)&gt;&quot;&amp;&#39;{time}</bdi>"))
    #expect(!sent.page.contains("<img"))
    let person = try JSONDocument(Array(sent.webhook.utf8)).root.required("data").required("person")
    #expect(try person.string("name").hasPrefix("<img"))
  }

  @Test func `from right to left does not turn the number around, and its marks are not passed on`() throws {
    _ = try set("\u{202E}שרה כהן\u{202C}\u{200F}")
    let sent = try sent()
    #expect(sent.topic.hasPrefix("\u{2068}שרה כהן\u{2069} (+12025550123) needs help."))
    #expect(sent.page.contains("<bdi>שרה כהן</bdi> <bdi>(+12025550123)</bdi>"))
    #expect(sent.sms.hasPrefix("\u{2068}שרה כהן\u{2069} needs help https://"))
    #expect(!sent.webhook.contains("text\":\"\u{202E}"))
  }

  @Test func `of marks alone is refused`() throws {
    let result = try #require(try set("\u{202E}\u{2066}").results.first)
    #expect(result.status == .rejected && result.code == InvalidInput.Code.name.rawValue)
    #expect(try sent().topic.hasPrefix("+12025550123 needs help."))
  }

  @Test func `in a drill never reads like a call for help`() throws {
    _ = try set("Ana needs help")
    let sent = try sent(isDrill: true)
    for text in [sent.topic, sent.sms] { #expect(text.hasPrefix("DRILL, only a test"), "\(text)") }
    #expect(sent.topicTitle == "DRILL (a test) of Ana needs help")
    #expect(sent.sms.contains("Press \"I got this\": https://server.example/a/"))
    #expect(sent.topic.contains("is testing the alert. Nobody is in danger."))
    #expect(sent.page.contains("DRILL: only a test. Nobody is in danger."))
  }
}
