import ChildPrograms
import Model
import ServerCore
import Testing
import Wire

@testable import ServerHTTP

/// A responder's page over HTTP, and its event stream.
@Suite(.blocking) struct `The page of a responder` {
  /// A server on which a person raised an alert, and the page of their responder.
  private struct Scene {
    let server: LiveServer
    let session: SessionResponse
    let alert: AlertID
    /// The path of the page.
    let path: String
    private let receiver: TestReceiver

    init(adjust: (inout HTTPSettings) -> Void = { _ in }) throws {
      server = try LiveServer(adjust: adjust)
      session = try server.signIn()
      receiver = try TestReceiver()
      let details = try ContactDetails(
        name: "Ana", phone: "+12025550199", isResponder: true, isDependent: false,
        channels: [Channel("http://127.0.0.1:\(receiver.port)/hook")])
      let alert: AlertID = newID()
      self.alert = alert
      let activation = AlertActivation(
        startedAt: LiveServer.now(), message: nil, location: nil, isDrill: false, utcOffsetMinutes: 0)
      _ = try server.sync(
        session, [(newID(), .putContact(details)), (EntityID(alert), .activateAlert(activation))],
        notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .activated)])
      let message = try #require(receiver.next())
      let url = try JSONDocument(message.body).root.required("data").string("page_url")
      path = String(try #require(url.split(separator: "://").last).drop { $0 != "/" })
    }

    func events() throws -> RawClient {
      let client = try server.client()
      client.send("GET \(path)/events HTTP/1.1\r\nHost: x\r\n\r\n")
      try #require(try client.head().status == 200)
      _ = try client.read(until: StreamEvent.heartbeat.text)
      return client
    }

    func post(_ form: String, to place: String = "acknowledgements") throws -> RawClient.Answer {
      try server.client().exchange(
        "POST", "\(path)/\(place)", headers: ["Content-Type: application/x-www-form-urlencoded"],
        body: Array(form.utf8))
    }
  }

  @Test func `is a page in the reader's language, which no cache keeps and no other page frames`() throws {
    let scene = try Scene()
    let answer = try scene.server.client().exchange("GET", scene.path, headers: ["Accept-Language: fr-CH"])
    #expect(answer.status == 200)
    #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
    #expect(answer.headers["content-language"] == "fr")
    #expect(answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["referrer-policy"] == "no-referrer")
    #expect(answer.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
    #expect(answer.text.contains("a besoin d&#39;aide"))
    let head = try scene.server.client().exchange("HEAD", scene.path)
    #expect(head.status == 200 && head.body.isEmpty)
    let unknown = try scene.server.client().exchange("GET", "/a/AAAAAAAAAAAAAAAAAAAAAAAA")
    #expect(unknown.status == 404 && unknown.headers["content-type"] == "text/html; charset=utf-8")
  }

  @Test func `an answer is told at once to devices and to pages`() throws {
    let scene = try Scene()
    let device = try scene.server.events(scene.session)
    let page = try scene.events()
    #expect(try scene.post("answer=responding").status == 303)
    _ = try device.read(until: StreamEvent.change.text)
    _ = try page.read(until: StreamEvent.change.text)
    let receipts = try scene.server.sync(scene.session).changes.compactMap { change -> Receipt? in
      if case .receipt(let receipt) = change { receipt } else { nil }
    }
    #expect(receipts.map(\.state) == [.acknowledged])
  }

  @Test func `an answer that acknowledges nothing is told to pages too`() throws {
    let scene = try Scene()
    let page = try scene.events()
    // The channel's answer may still be on its way to the store, and is a change of its own.
    #expect(try scene.post("", to: "seen").status == 204)
    _ = try page.read(until: StreamEvent.change.text)
    #expect(try scene.post("answer=cannot").status == 303)
    _ = try page.read(until: StreamEvent.change.text)
  }

  @Test func `opened too often ends its own oldest stream, and none of a device`() throws {
    let scene = try Scene {
      $0.maximumStreamsPerPage = 2
      $0.maximumStreamsPerAccount = 1
    }
    let device = try scene.server.events(scene.session)
    let pages = try (0..<3).map { _ in try scene.events() }
    _ = try pages[0].read(until: "0\r\n\r\n")
    #expect(try scene.post("answer=responding").status == 303)
    for client in pages.dropFirst() + [device] { _ = try client.read(until: StreamEvent.change.text) }
  }

  @Test func `beyond the bound of all pages gets no stream`() throws {
    // Three quarters of the connections may be streams, and half of these of pages.
    let scene = try Scene { $0.maximumConnections = 16 }
    let pages = try (0..<6).map { _ in try scene.events() }
    let refused = try scene.server.client().exchange("GET", scene.path + "/events")
    #expect(refused.status == 503 && refused.headers["retry-after"] == "30")
    #expect(try scene.server.events(scene.session).hasAnswer(withinMilliseconds: 10) == false)
    #expect(try scene.post("answer=responding").status == 303)
    for client in pages { _ = try client.read(until: StreamEvent.change.text) }
  }

  @Test func `shows nobody else's page under a wrong token`() throws {
    let scene = try Scene()
    for path in [scene.path + "x", String(scene.path.dropLast()), "/a/", scene.path + "/", scene.path + "/events/x"] {
      let answer = try scene.server.client().exchange("GET", path)
      #expect(answer.status == 404, "\(path)")
      #expect(!answer.text.contains("+12025550123"))
    }
  }
}
