import Model
import Testing
import Wire

@testable import ServerCore

/// A responder looks at an older message while the person is in danger.
@Suite struct `The page of an older message` {
  private let scene: PageScene

  init() throws { scene = try PageScene() }

  /// The path of Ana's page about the alert that is raised now.
  private func raise(isDrill: Bool = false) throws -> (alert: AlertID, path: String?) {
    let alert = try scene.person.raise(isDrill: isDrill)
    let attempts = try scene.server.claim()
    for attempt in attempts { try scene.server.complete(attempt, .status(200, retryAfter: nil)) }
    let attempt = attempts.first { $0.target.alert == alert && $0.target.contact == scene.ana }
    return (alert, try attempt.map(PageScene.pagePath))
  }

  private func page(_ path: String, _ language: String? = nil) -> ServerOutcome {
    scene.server.respond(
      to: ServerRequest(
        method: "GET", path: path, acceptLanguage: language, remoteAddress: "192.0.2.7")
    ).outcome
  }

  private func expectOtherCall(_ page: String, _ path: String?) throws {
    #expect(
      page.contains("<h1><bdi>+12025550123</bdi> needs help</h1>")
        && page.contains("data-state=\"again\""))
    #expect(
      page.contains("<title>+12025550123 needs help</title>")
        && page.contains("http-equiv=\"refresh\""))
    #expect(!page.contains("is safe") && !page.contains("Nobody"))
    let link = try #require(path)
    #expect(
      page.contains("<a id=\"active\" class=\"button\" href=\"\(link)\">Open the active alert</a>"))
    #expect(self.page(link).text.contains("data-state=\"help\""))
  }

  @Test func `says that help is needed again, and leads there`() throws {
    try scene.person.end(scene.alert)
    #expect(scene.get().text.contains("is safe now"))
    let (alert, path) = try raise()
    try expectOtherCall(scene.get().text, path)
    let answered = scene.post("answer=responding")
    #expect(answered.status == 409 && answered.text.contains("data-state=\"again\""))
    for language in PageTexts.all {
      let text = scene.get(language.language).text
      #expect(
        text.contains(language.activeBesideEnded.split(separator: "'")[0])
          && !text.contains(language.nobodyNeeded))
    }
    try scene.person.end(alert)
    #expect(
      scene.get().text.contains("is safe now") && scene.get().text.contains("data-state=\"over\""))
  }

  @Test(arguments: [false, true]) func `of a drill says so too`(isOver: Bool) throws {
    try scene.person.end(scene.alert)
    let drill = try raise(isDrill: true)
    let path = try #require(drill.path)
    if isOver { try scene.person.end(drill.alert) }
    let call = try raise()
    try expectOtherCall(page(path).text, call.path)
    #expect(page(path).text.contains("This page is about a drill."))
    try scene.person.end(call.alert)
    #expect(page(path).text.contains("data-state=\"\(isOver ? "over" : "drill")\""))
  }

  @Test func `names no link that the responder was not sent`() throws {
    try scene.person.end(scene.alert)
    _ = try scene.person.raise()
    let page = scene.get().text
    #expect(page.contains("data-state=\"again\"") && !page.contains("Open the active alert"))
    #expect(page.contains("Answer by the link in the newest message, or call."))
  }

  @Test func `of a real alert that is active stays as it is`() throws {
    _ = try raise()
    #expect(
      scene.get().text.contains("data-state=\"help\"")
        && !scene.get().text.contains("id=\"active\""))
  }

  @Test func `says that the person is safe while only a drill is active`() throws {
    try scene.person.end(scene.alert)
    _ = try raise(isDrill: true)
    #expect(scene.get().text.contains("is safe now"))
  }
}
