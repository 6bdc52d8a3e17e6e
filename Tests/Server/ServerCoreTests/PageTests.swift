import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// The page of a responder: what it shows, and what is done on it.
@Suite struct `Pages` {
  @Test func `a message has the link of its responder's page, and every message the same`() throws {
    let scene = try PageScene()
    #expect(scene.path.dropFirst("/a/".count).count == 24)
    let update = scene.person.mutation(
      EntityID(scene.alert), scene.server.now, .updateAlert(AlertUpdate(at: scene.server.now, message: "Hurry")))
    try scene.person.sync([update])
    let attempts = try scene.server.claim()
    #expect(attempts.count == 2)
    let again = try #require(attempts.first { $0.target.contact == scene.ana })
    #expect(try PageScene.pagePath(in: again) == scene.path)
    let other = try #require(attempts.first { $0.target.contact == scene.ben })
    let click = try #require(other.headers.first { $0.name == "Click" }).value
    #expect(click.hasPrefix("https://server.example/a/") && !click.hasSuffix(scene.path))
    #expect(other.headers.contains(HeaderField("Actions", "view, I'm coming, \(click)")))
    #expect(String(decoding: other.body, as: UTF8.self).contains("Answer here: \(click)"))
  }

  @Test func `the store has no token`() throws {
    let scene = try PageScene()
    let token = Array(scene.path.dropFirst("/a/".count).utf8)
    let secret = try #require(Base64URL.decode(String(scene.path.dropFirst("/a/".count)))).dropFirst(2)
    for (name, data) in try scene.server.copyOfFiles() {
      #expect(data.firstRange(of: token) == nil && data.firstRange(of: Array(secret)) == nil, "\(name)")
    }
  }

  @Test func `shows who needs help, since when, what and where`() throws {
    let place = try Location(latitude: -89.5, longitude: 179.25)
    let scene = try PageScene(message: "I fell <b>down</b> & \"out\"", location: place)
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
    #expect(page.contains("<bdi>Ben</bdi>: message sent at 14:01"))
    #expect(!page.contains("<bdi>Ana</bdi>"))
    #expect(page.contains("No contact with the device since"))
  }

  private func say(_ words: [String?], _ scene: PageScene) throws {
    try scene.person.sync(
      words.map { message in
        scene.person.mutation(
          EntityID(scene.alert), scene.server.now,
          .updateAlert(AlertUpdate(at: scene.server.now, message: message)))
      })
  }

  @Test func `lists the words of all calls, the newest first, each with its time`() throws {
    let scene = try PageScene(message: "I fell")
    #expect(!scene.get().text.contains("Earlier messages"))
    scene.server.advance(seconds: 60)
    try say(["left leg <b>broken</b>"], scene)
    scene.server.advance(seconds: 60)
    try say([nil, "rope is stuck", "it is snowing", nil, "it is snowing"], scene)
    let page = scene.get().text
    #expect(page.contains("<dt>Message</dt><dd data-news><bdi>it is snowing</bdi> (14:03)</dd>"))
    #expect(
      page.contains(
        """
        <dt>Earlier messages</dt><dd><ul><li>14:03: <bdi>rope is stuck</bdi></li>\
        <li>14:02: <bdi>left leg &lt;b&gt;broken&lt;/b&gt;</bdi></li><li>14:01: <bdi>I fell</bdi></li></ul></dd>
        """))
  }

  @Test func `lists twenty calls besides the first, and says that there are more`() throws {
    let scene = try PageScene(message: "first")
    try say((1...20).map { "call \($0)." }, scene)
    #expect(
      scene.get().text.contains("call 1.") && !scene.get().text.contains("There are more messages"))
    try say(["call 21."], scene)
    let page = scene.get().text
    #expect(page.contains("call 21.") && page.contains("call 2.") && !page.contains("call 1."))
    #expect(
      page.contains(
        "<li>There are more messages than shown.</li><li>14:01: <bdi>first</bdi></li></ul>"))
  }

  @Test func `may show nothing from elsewhere, and is not kept`() throws {
    let scene = try PageScene()
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
    let scene = try PageScene()
    for _ in 0..<3 { #expect(scene.get().status == 200) }
    #expect(try scene.states(of: scene.ana) == [.sent])
    #expect(scene.server.send("PUT", scene.path).status == 405)
    let reloaded = scene.server.send("GET", scene.path + "/acknowledgements")
    #expect(reloaded.status == 303 && reloaded.header("Location") == scene.path)
    #expect(try scene.states(of: scene.ana) == [.sent])
  }

  @Test func `a touch makes its own messages seen`() throws {
    let scene = try PageScene()
    #expect(scene.post("", to: "seen").status == 204)
    #expect(try scene.states(of: scene.ana) == [.seen])
    #expect(try scene.states(of: scene.ben) == [.sent])
    #expect(scene.get().text.contains("<bdi>Ben</bdi>: message sent"))
  }

  @Test func `a touch before the channel has answered counts too`() throws {
    let server = try AlertsServer()
    let person = try server.signIn("+12025550123")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ana", "https://a.example/hook")])
    let alert = try person.raise()
    let attempt = try #require(try server.claim().first)
    let path = try PageScene.pagePath(in: attempt)
    #expect(server.send("POST", path + "/seen", contentType: nil).status == 204)
    #expect(try person.receipts(alert).map(\.state) == [.seen])
    try server.complete(attempt, .networkFailure("timed out"))
    #expect(try person.receipts(alert).map(\.state) == [.seen])
  }

  @Test func `is gone thirty days after the end`() throws {
    let scene = try PageScene()
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
    let scene = try PageScene()
    try scene.person.sync([scene.person.removal(EntityID(scene.ana))])
    #expect(scene.get().status == 410)
    #expect(scene.post("answer=responding").status == 410)
    #expect(scene.post("", to: "seen").status == 410)
  }

  @Test func `is gone for the earlier number of a contact, and another for the new one`() throws {
    let scene = try PageScene()
    try scene.person.sync([
      try scene.person.contact(scene.ana, "Ana", phone: "+12025550166", "https://a.example/hook")
    ])
    #expect(scene.get().status == 410)
    let update = scene.person.mutation(
      EntityID(scene.alert), scene.server.now, .updateAlert(AlertUpdate(at: scene.server.now, message: "Hurry")))
    try scene.person.sync([update])
    let attempt = try #require(try scene.server.claim().first { $0.target.contact == scene.ana })
    let path = try PageScene.pagePath(in: attempt)
    #expect(path != scene.path && scene.server.send("GET", path).status == 200)
  }

  @Test func `alerts of two people under one id have pages of their own`() throws {
    let scene = try PageScene()
    let other = try scene.server.signIn("+12025550177")
    let contact = try other.contact(scene.ana, "Ana", "https://a.example/hook")
    try other.sync([contact, other.activation(scene.alert)], [other.notification(.activated, scene.alert)])
    let path = try PageScene.pagePath(in: try #require(try scene.server.claim().first))
    #expect(path != scene.path)
    #expect(scene.server.send("GET", path).text.contains("<bdi>+12025550177</bdi> needs help"))
    #expect(scene.get().text.contains("<bdi>+12025550123</bdi> needs help"))
    scene.post("answer=responding")
    #expect(!scene.server.send("GET", path).text.contains("You answered"))
  }

  @Test func `a failed channel is not seen by a touch`() throws {
    let scene = try PageScene()
    let contact = try scene.person.contact(scene.ana, "Ana", "https://a.example/hook", "https://dead.example/hook")
    try scene.person.sync([contact])
    let attempt = try #require(try scene.server.claim().first)
    try scene.server.complete(attempt, .networkFailure("timed out"))
    scene.post("", to: "seen")
    #expect(Set(try scene.states(of: scene.ana)) == [.seen, .queued])
  }

  @Test func `a message that waits after a failure is still sent after a touch`() throws {
    let server = try AlertsServer()
    let person = try server.signIn("+12025550123")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ana", "https://a.example/hook")])
    let alert = try person.raise()
    let attempt = try #require(try server.claim().first)
    let path = try PageScene.pagePath(in: attempt)
    try server.complete(attempt, .networkFailure("timed out"))
    #expect(server.send("POST", path + "/seen", contentType: nil).status == 204)
    #expect(try person.receipts(alert).map(\.state) == [.queued])
    server.advance(seconds: 30)
    #expect(try server.claim().map(\.id) == [attempt.id])
  }

  @Test func `in a drill a touch makes the message of its own channel seen alone`() throws {
    let scene = try AskingScene(
      channels: ["https://a.example/1", "https://b.example/2"], isDrill: true, delivers: false)
    let attempts = try scene.server.claim()
    let paths = try attempts.map(PageScene.pagePath)
    try scene.server.complete(attempts[0], .status(200, retryAfter: nil))
    func touch(_ place: Int) { _ = scene.server.send("POST", paths[place] + "/seen", contentType: nil) }
    func isUnseen(_ place: Int) -> Bool { scene.server.send("GET", paths[place]).text.contains("data-unseen") }
    touch(0)
    #expect(try scene.receipts(of: 0).map(\.state) == [.seen, .queued])
    #expect(!isUnseen(0) && isUnseen(1))
    touch(1)
    #expect(try scene.receipts(of: 0).map(\.state) == [.seen, .seen], "its channel has not answered yet")
    #expect(!isUnseen(1))
  }

  @Test func `below a path of a reverse proxy the page knows its own`() throws {
    let scene = try PageScene()
    try scene.server.restart { $0.publicURL = "https://example.org/alerts" }
    let page = scene.get().text
    #expect(page.contains("data-path=\"/alerts\(scene.path)\""))
    #expect(page.contains("action=\"/alerts\(scene.path)/acknowledgements\""))
    #expect(scene.post("answer=responding").header("Location") == "/alerts\(scene.path)")
  }

  @Test func `a place that is told by a fast clock is not newer than its receipt`() throws {
    let scene = try PageScene()
    let place = try Location(latitude: 1, longitude: 2)
    let fast = scene.server.now.advanced(byMilliseconds: 3_600_000)
    let update = scene.person.mutation(
      EntityID(scene.alert), fast, .updateAlert(AlertUpdate(at: fast, location: place)))
    try scene.person.sync([update])
    scene.server.advance(seconds: 240)
    #expect(scene.get().text.contains(">4 min</span> ago"))
  }

  @Test func `a wrong token shows nothing`() throws {
    let scene = try PageScene()
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

  @Test func `links that open nothing are limited by address, and one that opens a page never is`() throws {
    let scene = try PageScene()
    func open(_ path: String, from address: String = "2001:db8:1:2::7", as method: String = "GET") -> ServerOutcome {
      let type = method == "POST" ? "application/x-www-form-urlencoded" : nil
      return scene.server.respond(
        to: ServerRequest(
          method: method, path: path, acceptLanguage: "de", contentType: type, remoteAddress: address)
      ).outcome
    }
    func guess(_ number: Int) -> String { "/a/\(String(repeating: "A", count: 20))\(1000 + number)" }
    for number in 0..<PageMisses.perAddressAndHour {
      #expect(open(scene.path).status == 200)
      #expect(open(guess(number)).status == 404, "\(number)")
    }
    for (path, method) in [("", "GET"), ("/events", "GET"), ("/seen", "POST"), ("/acknowledgements", "POST")] {
      let refused = open(guess(500) + path, from: "2001:db8:1:2::8", as: method)
      #expect(refused.status == 429 && refused.header("Retry-After") == "3600", "\(path)")
      #expect(refused.text.contains("Dieser Link funktioniert nicht.") && refused.header("Content-Language") == "de")
    }
    #expect(open(scene.path).status == 200 && open(scene.path + "/seen", as: "POST").status == 204)
    #expect(open(guess(500), from: "2001:db8:1:3::7").status == 404, "another address has its own limit")
    #expect(open("/a/x").status == 404, "what is no token is no guess")
    scene.server.advance(seconds: 3600)
    #expect(open(guess(500)).status == 404)
  }

  @Test func `links that open nothing are limited in all, so that guesses from many addresses write little`() throws {
    let scene = try PageScene()
    let limit = PageMisses(from: "192.0.2.9", scene.server.core.keys)
    try scene.server.store.write { transaction in
      var work = RequestWork(
        scene.server.core, RequestFacts(), ExchangeProgress(), now: scene.server.now,
        entropy: scene.server.moment().entropy)
      #expect(limit.count(in: &work) == nil)
      for _ in 0..<PageMisses.inTotalPerHour {
        try transaction.apply(work.writes)
      }
    }
    let guess = ServerRequest(method: "GET", path: "/a/AAAAAAAAAAAAAAAAAAAAAAAA", remoteAddress: "198.51.100.1")
    #expect(scene.server.respond(to: guess).outcome.status == 429)
    #expect(scene.get().status == 200)
  }

  @Test func `a drill is told apart`() throws {
    let scene = try PageScene(isDrill: true)
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
    let real = try PageScene()
    #expect(!real.get().text.contains("class=\"drill\"") && !real.get().text.contains("I got this"))
  }

  @Test(arguments: [
    ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr", "fr"), ("ja, es-419;q=0.5", "es"), ("en;q=0.1, de;q=0.2", "de"),
    ("ja", "en"), ("", "en"), ("de;q=0", "en"), (";;;,,q=1", "en"), ("de;q=x", "en"),
  ])
  func `speaks the reader's language`(_ header: String, _ language: String) throws {
    let outcome = try PageScene().get(header)
    #expect(outcome.header("Content-Language") == language)
    #expect(outcome.text.contains("<html lang=\"\(language)\">"))
  }

  @Test func `names in any script are isolated, and are text`() throws {
    let scene = try PageScene(name: "שרה <img src=x>")
    let update = scene.person.mutation(
      EntityID(scene.alert), scene.server.now, .updateAlert(AlertUpdate(at: scene.server.now, message: "Hurry")))
    try scene.person.sync([update])
    let attempt = try #require(try scene.server.claim().first { $0.target.contact == scene.ben })
    let click = try #require(attempt.headers.first { $0.name == "Click" }).value
    let page = scene.server.send("GET", String(click.dropFirst("https://server.example".count))).text
    #expect(page.contains("<bdi>שרה &lt;img src=x&gt;</bdi>"))
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
