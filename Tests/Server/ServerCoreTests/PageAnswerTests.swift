import Model
import Testing
import Wire

@testable import ServerCore

/// What a responder answers on their page, and what it does.
@Suite struct `Answers on a page` {
  @Test func `an answer acknowledges, leads back to the page, and tells devices`() throws {
    let scene = try PageScene()
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
    let scene = try PageScene()
    scene.post("answer=responding")
    let again = scene.post("answer=responding")
    #expect(again.status == 303 && again.changedAccounts.isEmpty)
  }

  @Test func `others see the answer, and that one is on the way`() throws {
    let scene = try PageScene()
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

  @Test(arguments: [false, true])
  func `nobody sees the answer of somebody who is no responder any more`(isRemoved: Bool) throws {
    let scene = try PageScene()
    let attempts = try scene.server.claim()
    #expect(attempts.isEmpty)
    let ben = try scene.person.contact(
      AlertsDevice.identifier(), "Cat", phone: "+12025550177", "https://c.example/hook")
    try scene.person.sync([ben])
    let attempt = try #require(try scene.server.claim().first)
    try scene.server.complete(attempt, .status(200, retryAfter: nil))
    let path = try PageScene.pagePath(in: attempt)
    let form = Array("answer=on_my_way".utf8)
    let answered = scene.server.send(
      "POST", "\(path)/acknowledgements", form, contentType: "application/x-www-form-urlencoded")
    #expect(answered.status == 303 && scene.get().text.contains("<bdi>Cat</bdi> is on the way"))
    let change =
      isRemoved
      ? scene.person.removal(ben.entityID)
      : try scene.person.contact(
        ContactID(ben.entityID), "Cat", phone: "+12025550177", "https://c.example/hook",
        isResponder: false)
    try scene.person.sync([change])
    #expect(!scene.get().text.contains("Cat") && scene.get().text.contains("<bdi>Ben</bdi>"))
  }

  @Test func `"I can't" acknowledges nothing`() throws {
    let scene = try PageScene()
    let outcome = scene.post("answer=cannot")
    #expect(outcome.status == 303 && outcome.changedAccounts == [scene.person.account])
    let receipt = try #require(try scene.person.receipts(scene.alert).first { $0.contactID == scene.ana })
    #expect(receipt.state == .seen && receipt.reason == "they said that they can't come")
    #expect(try scene.states(of: scene.ben) == [.sent])
    #expect(scene.post("answer=cannot").changedAccounts.isEmpty)
    #expect(scene.get().text.contains("You answered: I can&#39;t"))
    // They may change their mind.
    scene.post("answer=responding")
    #expect(try scene.states(of: scene.ana) == [.acknowledged])
  }

  @Test(arguments: ["", "answer=", "text=hello", "answer=maybe", "answer=responding%00", "answer=%FF", "answer=%"])
  func `a form without an answer acknowledges nothing`(_ form: String) throws {
    let scene = try PageScene()
    let outcome = scene.post(form)
    #expect(outcome.status == 400)
    #expect(outcome.text.contains("Nothing was sent. Choose an answer first."))
    #expect(try scene.states(of: scene.ana) == [.sent])
  }

  @Test func `a form that is no form, or too long, acknowledges nothing`() throws {
    let scene = try PageScene()
    let notText = scene.server.send(
      "POST", scene.path + "/acknowledgements", [0xFF, 0xFE], contentType: "application/x-www-form-urlencoded")
    #expect(notText.status == 400)
    #expect(scene.post("answer=responding&text=" + String(repeating: "a", count: 20_000)).status == 413)
    let json = scene.server.send("POST", scene.path + "/acknowledgements", Array("{}".utf8))
    #expect(json.status == 415)
    #expect(try scene.states(of: scene.ana) == [.sent])
  }

  @Test func `text without visible characters is none`() throws {
    let scene = try PageScene()
    scene.post("answer=responding&text=%E2%80%AE%E2%81%A9%20%E2%80%A8%E2%80%8B")
    #expect(scene.get().text.contains("You answered: I&#39;m responding (14:01). The person"))
    scene.post("answer=on_my_way&text=" + String(repeating: "a%CC%81", count: 300))
    #expect(scene.get().text.contains("“<bdi>" + String(repeating: "a\u{301}", count: 200) + "</bdi>”"))
    scene.post("answer=there&text=b" + String(repeating: "%CC%81", count: 2000))
    #expect(!scene.get().text.contains("“"), "one character of 4,000 bytes")
  }

  @Test func `text is one line of 200 characters and 800 bytes, and is shown, never run`() throws {
    let scene = try PageScene()
    let family = "👨‍👩‍👧"
    scene.post("answer=responding&text=%3Cscript%3Ea%0D%0Ab" + String(repeating: family, count: 300))
    let page = scene.get().text
    #expect(page.contains("“<bdi>&lt;script&gt;a b" + String(repeating: family, count: 43) + "</bdi>”"))
  }

  @Test func `after the end nobody needs to respond`() throws {
    let scene = try PageScene()
    try scene.person.end(scene.alert)
    let outcome = scene.post("answer=responding")
    #expect(outcome.status == 409 && outcome.text.contains("Nobody needs to respond any more."))
    #expect(scene.post("", to: "seen").status == 204)
    #expect(try !scene.states(of: scene.ana).contains(.acknowledged))
    let page = scene.get()
    #expect(page.status == 200 && page.text.contains("is safe now") && !page.text.contains("<form"))
  }

  @Test(arguments: [
    ("cannot", "they said that they can't come"), ("handing_over", "they said that they are handing over"),
  ])
  func `who takes an answer back does not count as responding`(_ answer: String, _ reason: String) throws {
    let scene = try PageScene()
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
    let scene = try PageScene()
    scene.post("answer=responding&text=by+car")
    #expect(scene.post("answer=responding").changedAccounts.isEmpty)
    #expect(scene.get().text.contains("“<bdi>by car</bdi>”"))
  }

  @Test func `the script gets the page after the answer, and knows what was not seen yet`() throws {
    let scene = try PageScene()
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

  @Test func `an acknowledgement with a device is an answer too`() throws {
    let scene = try PageScene()
    let ana = try scene.server.signIn("+12025550199")
    let outcome = scene.server.send(
      "POST", "\(Route.alerts)/\(scene.alert)/acknowledgements", token: ana.token)
    #expect(outcome.status == 200)
    #expect(scene.get().text.contains("You answered: I&#39;m responding"))
  }

  @Test func `nobody acknowledges an alert of their own, with their own number among their contacts`() throws {
    let scene = try PageScene()
    let own = try scene.person.contact(
      AlertsDevice.identifier(), "Me", phone: "+12025550123", "https://own.example/hook")
    try scene.person.sync([own])
    let outcome = scene.server.send(
      "POST", "\(Route.alerts)/\(scene.alert)/acknowledgements", token: scene.person.token)
    #expect(outcome.status == 403)
    #expect(outcome.text.contains("this alert is your own"))
    #expect(try scene.states(of: ContactID(own.entityID)).contains(.acknowledged) == false)
  }
}
