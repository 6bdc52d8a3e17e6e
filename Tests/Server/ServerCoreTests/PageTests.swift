import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// The page of a responder: what it shows, and what is done on it.
@Suite struct `Pages` {
  /// A person with responders, one alert, and the link that was sent to each.
  private struct Scene {
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

  @Test func `a message has the link of its responder's page, and every message the same`() throws {
    let scene = try Scene()
    #expect(scene.path.dropFirst("/a/".count).count == 24)
    let update = scene.person.mutation(
      EntityID(scene.alert), scene.server.now, .updateAlert(AlertUpdate(at: scene.server.now, message: "Hurry")))
    try scene.person.sync([update])
    let attempts = try scene.server.claim()
    #expect(attempts.count == 2)
    let again = try #require(attempts.first { $0.target.contact == scene.ana })
    #expect(try Scene.pagePath(in: again) == scene.path)
    let other = try #require(attempts.first { $0.target.contact == scene.ben })
    let click = try #require(other.headers.first { $0.name == "Click" }).value
    #expect(click.hasPrefix("https://server.example/a/") && !click.hasSuffix(scene.path))
    #expect(other.headers.contains(HeaderField("Actions", "view, I'm coming, \(click)")))
    #expect(String(decoding: other.body, as: UTF8.self).contains("Answer here: \(click)"))
  }

  @Test func `the store has no token`() throws {
    let scene = try Scene()
    let token = Array(scene.path.dropFirst("/a/".count).utf8)
    let secret = try #require(Base64URL.decode(String(scene.path.dropFirst("/a/".count)))).dropFirst(2)
    for (name, data) in try scene.server.copyOfFiles() {
      #expect(data.firstRange(of: token) == nil && data.firstRange(of: Array(secret)) == nil, "\(name)")
    }
  }

  @Test func `shows who needs help, since when, what and where`() throws {
    let place = try Location(latitude: -89.5, longitude: 179.25)
    let scene = try Scene(message: "I fell <b>down</b> & \"out\"", location: place)
    scene.server.advance(seconds: 130)
    let outcome = scene.get()
    #expect(outcome.status == 200)
    let page = outcome.text
    #expect(page.contains("<h1><bdi>+12025550123</bdi> needs help</h1>"))
    #expect(page.contains("Since 14:01 (UTC+02:00), for <span data-since"))
    #expect(page.contains(">2 min</span>"))
    #expect(page.contains("<bdi>I fell &lt;b&gt;down&lt;/b&gt; &amp; &quot;out&quot;</bdi>"))
    #expect(page.contains("mlat=-89.5&mlon=179.25") || page.contains("mlat=-89.5&amp;mlon=179.25"))
    #expect(page.contains("rel=\"noreferrer noopener\""))
    #expect(page.contains("<bdi>Ben</bdi> was told at 14:01"))
    #expect(!page.contains("<bdi>Ana</bdi>"))
    #expect(page.contains("No contact with the device since"))
  }

  @Test func `may show nothing from elsewhere, and is not kept`() throws {
    let scene = try Scene()
    let outcome = scene.get()
    let policy = try #require(outcome.header("Content-Security-Policy"))
    #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
    #expect(outcome.text.utf8.count < 14_000)
    for (tag, source) in [("style", "style-src"), ("script", "script-src")] {
      let start = try #require(outcome.text.range(of: "<\(tag)>")).upperBound
      let end = try #require(outcome.text.range(of: "</\(tag)>")).lowerBound
      let hash = Base64.encode(SHA256.of(Array(outcome.text[start..<end].utf8)))
      #expect(policy.contains("\(source) 'sha256-\(hash)'"))
    }
  }

  @Test func `looking at it changes nothing`() throws {
    let scene = try Scene()
    for _ in 0..<3 { #expect(scene.get().status == 200) }
    #expect(try scene.states(of: scene.ana) == [.sent])
    #expect(scene.server.send("PUT", scene.path).status == 405)
    let reloaded = scene.server.send("GET", scene.path + "/acknowledgements")
    #expect(reloaded.status == 303 && reloaded.header("Location") == scene.path)
    #expect(try scene.states(of: scene.ana) == [.sent])
  }

  @Test func `a touch makes its own messages seen`() throws {
    let scene = try Scene()
    #expect(scene.post("", to: "seen").status == 204)
    #expect(try scene.states(of: scene.ana) == [.seen])
    #expect(try scene.states(of: scene.ben) == [.sent])
    #expect(scene.get().text.contains("<bdi>Ben</bdi> was told"))
  }

  @Test func `a touch before the channel has answered counts too`() throws {
    let server = try AlertsServer()
    let person = try server.signIn("+12025550123")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ana", "https://a.example/hook")])
    let alert = try person.raise()
    let attempt = try #require(try server.claim().first)
    let path = try Scene.pagePath(in: attempt)
    #expect(server.send("POST", path + "/seen", contentType: nil).status == 204)
    #expect(try person.receipts(alert).map(\.state) == [.seen])
    try server.complete(attempt, .networkFailure("timed out"))
    #expect(try person.receipts(alert).map(\.state) == [.seen])
  }

  @Test func `an answer acknowledges, leads back to the page, and tells devices`() throws {
    let scene = try Scene()
    let outcome = scene.post("answer=responding&text=Ten+minutes%21")
    #expect(outcome.status == 303 && outcome.header("Location") == scene.path)
    #expect(outcome.changedAccounts == [scene.person.account])
    #expect(try scene.states(of: scene.ana) == [.acknowledged])
    #expect(try scene.states(of: scene.ben) == [.sent])
    #expect(try scene.person.sync().receipts.contains { $0.contactID == scene.ana && $0.state == .acknowledged })
    let page = scene.get().text
    #expect(page.contains("You answered: I&#39;m responding (14:01): “<bdi>Ten minutes!</bdi>”"))
    #expect(page.contains("value=\"on_my_way\"") && !page.contains("value=\"responding\""))
  }

  @Test func `the same form twice has one effect`() throws {
    let scene = try Scene()
    scene.post("answer=responding")
    let again = scene.post("answer=responding")
    #expect(again.status == 303 && again.changedAccounts.isEmpty)
  }

  @Test func `others see the answer, and that one is on the way`() throws {
    let scene = try Scene()
    let update = scene.person.mutation(
      EntityID(scene.alert), scene.server.now, .updateAlert(AlertUpdate(at: scene.server.now, message: "Hurry")))
    try scene.person.sync([update])
    let attempt = try #require(try scene.server.claim().first { $0.target.contact == scene.ben })
    let click = try #require(attempt.headers.first { $0.name == "Click" }).value
    scene.post("answer=responding")
    scene.post("answer=on_my_way&text=by%20car")
    let page = scene.server.send("GET", String(click.dropFirst("https://server.example".count))).text
    #expect(page.contains("<bdi>Ana</bdi> <strong>is on the way</strong>: “<bdi>by car</bdi>”"))
  }

  @Test func `"I can't" acknowledges nothing`() throws {
    let scene = try Scene()
    let outcome = scene.post("answer=cannot")
    #expect(outcome.status == 303 && outcome.changedAccounts == [scene.person.account])
    #expect(try scene.states(of: scene.ana) == [.sent])
    #expect(scene.get().text.contains("You answered: I can&#39;t"))
    // They may change their mind.
    scene.post("answer=responding")
    #expect(try scene.states(of: scene.ana) == [.acknowledged])
  }

  @Test(arguments: ["", "answer=", "text=hello", "answer=maybe", "answer=responding%00", "answer=%FF", "answer=%"])
  func `a form without an answer acknowledges nothing`(_ form: String) throws {
    let scene = try Scene()
    let outcome = scene.post(form)
    #expect(outcome.status == 400)
    #expect(outcome.text.contains("Nothing was sent. Choose an answer first."))
    #expect(try scene.states(of: scene.ana) == [.sent])
  }

  @Test func `a form that is no form, or too long, acknowledges nothing`() throws {
    let scene = try Scene()
    let notText = scene.server.send(
      "POST", scene.path + "/acknowledgements", [0xFF, 0xFE], contentType: "application/x-www-form-urlencoded")
    #expect(notText.status == 400)
    #expect(scene.post("answer=responding&text=" + String(repeating: "a", count: 20_000)).status == 413)
    let json = scene.server.send("POST", scene.path + "/acknowledgements", Array("{}".utf8))
    #expect(json.status == 415)
    #expect(try scene.states(of: scene.ana) == [.sent])
  }

  @Test func `text without visible characters is none`() throws {
    let scene = try Scene()
    scene.post("answer=responding&text=%E2%80%AE%E2%81%A9%20%E2%80%A8%E2%80%8B")
    #expect(scene.get().text.contains("You answered: I&#39;m responding (14:01). The person"))
    scene.post("answer=on_my_way&text=" + String(repeating: "a%CC%81", count: 300))
    #expect(scene.get().text.contains("“<bdi>" + String(repeating: "a\u{301}", count: 200) + "</bdi>”"))
    scene.post("answer=there&text=b" + String(repeating: "%CC%81", count: 2000))
    #expect(!scene.get().text.contains("“"), "one character of 4,000 bytes")
  }

  @Test func `text is one line of 200 characters and 800 bytes, and is shown, never run`() throws {
    let scene = try Scene()
    let family = "👨‍👩‍👧"
    scene.post("answer=responding&text=%3Cscript%3Ea%0D%0Ab" + String(repeating: family, count: 300))
    let page = scene.get().text
    #expect(page.contains("“<bdi>&lt;script&gt;a b" + String(repeating: family, count: 43) + "</bdi>”"))
  }

  @Test func `after the end nobody needs to respond`() throws {
    let scene = try Scene()
    try scene.person.end(scene.alert)
    let outcome = scene.post("answer=responding")
    #expect(outcome.status == 409 && outcome.text.contains("Nobody needs to respond any more."))
    #expect(scene.post("", to: "seen").status == 204)
    #expect(try !scene.states(of: scene.ana).contains(.acknowledged))
    let page = scene.get()
    #expect(page.status == 200 && page.text.contains("is safe now") && !page.text.contains("<form"))
  }

  @Test func `is gone thirty days after the end`() throws {
    let scene = try Scene()
    scene.server.advance(seconds: 40 * 24 * 3600)
    #expect(scene.get().status == 200)
    let ended = try scene.server.signIn("+12025550123")
    try ended.sync([scene.person.deactivation(scene.alert)])
    scene.server.advance(seconds: 30 * 24 * 3600)
    #expect(scene.get().status == 200)
    scene.server.advance(seconds: 1)
    #expect(scene.get().status == 410)
    #expect(scene.post("answer=responding").status == 410)
  }

  @Test func `is gone for somebody who is no responder any more`() throws {
    let scene = try Scene()
    try scene.person.sync([scene.person.removal(EntityID(scene.ana))])
    #expect(scene.get().status == 410)
    #expect(scene.post("answer=responding").status == 410)
    #expect(scene.post("", to: "seen").status == 410)
  }

  @Test func `is gone for the earlier number of a contact, and another for the new one`() throws {
    let scene = try Scene()
    try scene.person.sync([
      try scene.person.contact(scene.ana, "Ana", phone: "+12025550166", "https://a.example/hook")
    ])
    #expect(scene.get().status == 410)
    let update = scene.person.mutation(
      EntityID(scene.alert), scene.server.now, .updateAlert(AlertUpdate(at: scene.server.now, message: "Hurry")))
    try scene.person.sync([update])
    let attempt = try #require(try scene.server.claim().first { $0.target.contact == scene.ana })
    let path = try Scene.pagePath(in: attempt)
    #expect(path != scene.path && scene.server.send("GET", path).status == 200)
  }

  @Test func `alerts of two people under one id have pages of their own`() throws {
    let scene = try Scene()
    let other = try scene.server.signIn("+12025550177")
    let contact = try other.contact(scene.ana, "Ana", "https://a.example/hook")
    try other.sync([contact, other.activation(scene.alert)], [other.notification(.activated, scene.alert)])
    let path = try Scene.pagePath(in: try #require(try scene.server.claim().first))
    #expect(path != scene.path)
    #expect(scene.server.send("GET", path).text.contains("<bdi>+12025550177</bdi> needs help"))
    #expect(scene.get().text.contains("<bdi>+12025550123</bdi> needs help"))
    scene.post("answer=responding")
    #expect(!scene.server.send("GET", path).text.contains("You answered"))
  }

  @Test(arguments: [
    ("cannot", "they said that they can't come"), ("handing_over", "they said that they are handing over"),
  ])
  func `who takes an answer back does not count as responding`(_ answer: String, _ reason: String) throws {
    let scene = try Scene()
    scene.post("answer=responding")
    try scene.person.sync()
    let outcome = scene.post("answer=\(answer)")
    #expect(outcome.changedAccounts == [scene.person.account])
    let receipt = try #require(try scene.person.sync().receipts.first { $0.contactID == scene.ana })
    #expect(receipt.state == .seen && receipt.reason == reason)
    #expect(scene.get().text.contains("The other responders see it."))
    scene.post("answer=there")
    #expect(try scene.states(of: scene.ana) == [.acknowledged])
  }

  @Test func `an answer without text keeps what was written before`() throws {
    let scene = try Scene()
    scene.post("answer=responding&text=by+car")
    #expect(scene.post("answer=responding").changedAccounts.isEmpty)
    #expect(scene.get().text.contains("“<bdi>by car</bdi>”"))
  }

  @Test func `the script gets the page after the answer, and knows what was not seen yet`() throws {
    let scene = try Scene()
    #expect(scene.get().text.contains("data-unseen=\"1\""))
    scene.post("", to: "seen")
    #expect(!scene.get().text.contains("data-unseen"))
    let outcome = scene.post("answer=on_my_way&script=1")
    #expect(outcome.status == 200)
    #expect(outcome.text.contains("data-answer=\"on_my_way\"") && outcome.text.contains("You answered"))
    #expect(outcome.text.contains("value=\"there\""))
    // A further call is a message of its own.
    let update = scene.person.mutation(
      EntityID(scene.alert), scene.server.now, .updateAlert(AlertUpdate(at: scene.server.now, message: "Hurry")))
    try scene.person.sync([update])
    for attempt in try scene.server.claim() { try scene.server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(scene.get().text.contains("data-unseen=\"1\""))
    scene.post("answer=on_my_way")
    #expect(try scene.states(of: scene.ana) == [.acknowledged, .acknowledged])
  }

  @Test func `a failed channel is not seen by a touch`() throws {
    let scene = try Scene()
    let contact = try scene.person.contact(scene.ana, "Ana", "https://a.example/hook", "https://dead.example/hook")
    try scene.person.sync([contact])
    let attempt = try #require(try scene.server.claim().first)
    try scene.server.complete(attempt, .networkFailure("timed out"))
    scene.post("", to: "seen")
    #expect(Set(try scene.states(of: scene.ana)) == [.seen, .queued])
  }

  @Test func `below a path of a reverse proxy the page knows its own`() throws {
    let scene = try Scene()
    try scene.server.restart { $0.publicURL = "https://example.org/alerts" }
    let page = scene.get().text
    #expect(page.contains("data-path=\"/alerts\(scene.path)\""))
    #expect(page.contains("action=\"/alerts\(scene.path)/acknowledgements\""))
    #expect(scene.post("answer=responding").header("Location") == "/alerts\(scene.path)")
  }

  @Test func `a place that is told by a fast clock is not newer than its receipt`() throws {
    let scene = try Scene()
    let place = try Location(latitude: 1, longitude: 2)
    let fast = scene.server.now.advanced(byMilliseconds: 3_600_000)
    let update = scene.person.mutation(
      EntityID(scene.alert), fast, .updateAlert(AlertUpdate(at: fast, location: place)))
    try scene.person.sync([update])
    scene.server.advance(seconds: 240)
    #expect(scene.get().text.contains(">4 min</span> ago"))
  }

  @Test func `a wrong token shows nothing`() throws {
    let scene = try Scene()
    let token = scene.path.dropFirst("/a/".count)
    let other = String(token.dropLast()) + (token.last == "A" ? "B" : "A")
    let wrong: [String] = [
      "", "x", String(token.dropLast()), String(token + token), other, token + "=", token + "/", "../" + token,
    ]
    for token in wrong {
      let outcome = scene.server.send("GET", "/a/\(token)")
      #expect(outcome.status == 404, "\(token)")
      #expect(!outcome.text.contains("+12025550123"))
      #expect(scene.server.send("POST", "/a/\(token)/acknowledgements", contentType: nil).status == 404)
    }
  }

  @Test func `a drill is told apart`() throws {
    let scene = try Scene(isDrill: true)
    let page = scene.get().text
    #expect(page.contains("data-state=\"drill\"") && page.contains("DRILL: only a test. Nobody is in danger."))
    #expect(page.contains("I got this") && !page.contains("needs help"))
    scene.post("answer=responding")
    let answered = scene.get().text
    #expect(answered.contains("You answered: I got this") && answered.contains("Thank you: the drill reached you."))
    #expect(!answered.contains("<form") && !answered.contains("in danger sees"))
    try scene.person.end(scene.alert)
    let ended = scene.get().text
    #expect(ended.contains("<h1>The drill is over</h1>") && !ended.contains("is safe now"))
    let real = try Scene()
    #expect(!real.get().text.contains("class=\"drill\"") && !real.get().text.contains("I got this"))
  }

  @Test(arguments: [
    ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr", "fr"), ("ja, es-419;q=0.5", "es"), ("en;q=0.1, de;q=0.2", "de"),
    ("ja", "en"), ("", "en"), ("de;q=0", "en"), (";;;,,q=1", "en"), ("de;q=x", "en"),
  ])
  func `speaks the reader's language`(_ header: String, _ language: String) throws {
    let outcome = try Scene().get(header)
    #expect(outcome.header("Content-Language") == language)
    #expect(outcome.text.contains("<html lang=\"\(language)\">"))
  }

  @Test func `names in any script are isolated, and are text`() throws {
    let scene = try Scene(name: "שרה <img src=x>")
    let update = scene.person.mutation(
      EntityID(scene.alert), scene.server.now, .updateAlert(AlertUpdate(at: scene.server.now, message: "Hurry")))
    try scene.person.sync([update])
    let attempt = try #require(try scene.server.claim().first { $0.target.contact == scene.ben })
    let click = try #require(attempt.headers.first { $0.name == "Click" }).value
    let page = scene.server.send("GET", String(click.dropFirst("https://server.example".count))).text
    #expect(page.contains("<bdi>שרה &lt;img src=x&gt;</bdi>"))
  }

  @Test func `an acknowledgement with a device is an answer too`() throws {
    let scene = try Scene()
    let ana = try scene.server.signIn("+12025550199")
    let outcome = scene.server.send(
      "POST", "\(Route.alerts)/\(scene.alert)/acknowledgements", token: ana.token)
    #expect(outcome.status == 200)
    #expect(scene.get().text.contains("You answered: I&#39;m responding"))
  }

  @Test func `every language has every text`() {
    for texts in PageTexts.all {
      for child in Mirror(reflecting: texts).children {
        if let text = child.value as? String { #expect(!text.isEmpty, "\(texts.language) \(child.label ?? "")") }
      }
      for (english, other) in zip(placeholders(of: .english), placeholders(of: texts)) { #expect(english == other) }
    }
  }

  private func placeholders(of texts: PageTexts) -> [Set<Substring>] {
    Mirror(reflecting: texts).children.map { child in
      Set(
        (child.value as? String ?? "").split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap {
          $0.split(separator: "}").first
        })
    }
  }
}
