import ChildPrograms
import Glibc
import Model
import ServerCore
import Testing
import Wire

@testable import ServerHTTP

/// A gateway for text messages that answers on loopback.
@Suite(.blocking) struct `A gateway for text messages` {
  private func raise(_ server: LiveServer, _ session: SessionResponse) throws -> AlertID {
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550199", isResponder: true, isDependent: false, channels: [Channel("sms:+12025550199")]
    )
    let alert: AlertID = newID()
    let activation = AlertActivation(
      startedAt: LiveServer.now(), message: nil, location: nil, isDrill: false, utcOffsetMinutes: 0)
    _ = try server.sync(
      session, [(newID(), .putContact(details)), (EntityID(alert), .activateAlert(activation))],
      notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .activated)])
    return alert
  }

  private func receipt(_ server: LiveServer, _ session: SessionResponse) throws -> Receipt? {
    try server.sync(session).changes.compactMap { if case .receipt(let receipt) = $0 { receipt } else { nil } }.first
  }

  /// Signs in by a code that the gateway gets.
  private func signIn(_ server: LiveServer, _ gateway: TestReceiver) throws -> SessionResponse {
    let client = try server.client()
    let asked = try client.post(
      Route.verifications, VerificationRequest(phone: "+12025550123", region: nil).json())
    let verification = try VerificationResponse(jsonBytes: asked.body)
    let text = try JSONDocument(try #require(gateway.next()).body).root.string("text")
    let code = try #require(text.split { !$0.isNumber }.first { $0.count == 6 })
    let request = SessionRequest(verificationID: verification.verificationID, code: String(code), deviceName: "test")
    return try SessionResponse(jsonBytes: try client.post(Route.sessions, request.json()).body)
  }

  private func template(_ gateway: TestReceiver, success: String?) -> GatewayTemplate {
    var template = GatewayTemplate(url: "http://127.0.0.1:\(gateway.port)/send")
    template.success = success
    return template
  }

  @Test func `takes codes and calls for help`() throws {
    let gateway = try TestReceiver()
    let server = try LiveServer(
      codes: .gateway(template(gateway, success: nil)), allowsPrivateChannels: false)
    let session = try signIn(server, gateway)
    _ = try raise(server, session)
    let message = try #require(gateway.next())
    #expect(message.path == "/send")
    #expect(
      try JSONDocument(message.body).root.string("text").hasPrefix("+12025550123 needs help http://localhost/a/"))
    let events = try server.events(session)
    while try receipt(server, session)?.state != .sent { _ = try events.read(until: StreamEvent.change.text) }
  }

  @Test(.timeLimit(.minutes(5))) func `that answers 503 twice gets the code until it takes it`() throws {
    let gateway = try TestReceiver([.init(status: 503), .init(status: 503), .init(status: 200)])
    let server = try LiveServer(codes: .gateway(template(gateway, success: nil)), allowsPrivateChannels: false)
    let request = VerificationRequest(phone: "+12025550123", region: nil)
    #expect(try server.client().post(Route.verifications, request.json()).status == 201)
    let first = try #require(gateway.next())
    for _ in 1...2 { #expect(try #require(gateway.next()).body == first.body) }
    func codes() throws -> CodeQueue {
      let now = LiveServer.now()
      let latest = LatestTimes(delivery: now, asking: now, silence: now)
      return try server.store.read { try $0.outlook(at: now, latest: latest).codes }
    }
    while try codes().firstDue != nil { sched_yield() }
  }

  @Test func `that answers 200 with an error inside took nothing`() throws {
    let gateway = try TestReceiver([
      .init(status: 200, body: #"{"status":"queued"}"#), .init(status: 200, body: #"{"error":7}"#),
    ])
    let server = try LiveServer(
      codes: .gateway(template(gateway, success: "queued")), allowsPrivateChannels: false)
    let session = try signIn(server, gateway)
    let events = try server.events(session)
    _ = try raise(server, session)
    _ = try #require(gateway.next())
    while try receipt(server, session)?.reason == nil { _ = try events.read(until: StreamEvent.change.text) }
    let told = try #require(try receipt(server, session))
    #expect(told.state == .queued && told.reason == "the SMS gateway did not take the message")
  }
}
