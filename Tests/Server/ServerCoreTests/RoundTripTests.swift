import Model
import TestSupport
import Testing
import Wire

@testable import ServerCore

/// Tests the number of round trips to the store: a request reads its facts once, and writes everything once. In all
/// other tests `AlertsServer.send` checks that an exchange takes at most two.
@Suite struct `The round trips of` {
  private func request(
    _ device: AlertsDevice, _ mutations: [Mutation], _ notifications: [NotificationRequest] = []
  )
    -> ServerRequest
  {
    let queued = mutations.map {
      SyncRequestWriter.QueuedMutation(
        id: $0.id, kind: $0.change.kind, entityID: $0.entityID, occurredAt: $0.occurredAt,
        body: MutationBody.text(of: $0.change))
    }
    let body = SyncRequestWriter.body(
      deviceID: device.id, cursor: nil, mutations: queued, notifications: notifications, limit: 500)
    return request("POST", Route.sync, device, body)
  }

  private func request(_ method: String, _ path: String, _ device: AlertsDevice?, _ body: [UInt8] = []) -> ServerRequest
  {
    ServerRequest(
      method: method, path: path, authorization: device.map { "Bearer \($0.token)" }, contentType: "application/json",
      body: body, remoteAddress: "192.0.2.1")
  }

  // The sanitizer takes minutes for the last, on one thread.
  @Test(arguments: ThreadSanitizer.isOn ? [1, 17] : [1, 17, 500])
  func `an exchange are two and a commit, however many items it has`(count: Int) throws {
    let server = try AlertsServer {
      $0.limits.itemsPerTransaction = .max
      $0.limits.contacts = 1000
      $0.limits.newAlerts.burst = 1000
    }
    let device = try server.signIn("+12025550123")
    try device.sync()
    let contacts = try (0..<count).map { _ in try device.contact(isResponder: false) }
    #expect(server.respond(to: request(device, contacts)).roundTrips == [2])
    let alerts = (0..<count).map { _ in device.activation() }
    let notifications = alerts.map { device.notification(.activated, AlertID($0.entityID)) }
    let (outcome, roundTrips) = server.respond(to: request(device, alerts, notifications))
    #expect(roundTrips == [2])
    #expect(try SyncResponse(jsonBytes: outcome.body).results.allSatisfy { $0.status == .applied })
  }

  @Test func `a long exchange on a store with one writer are two for each part`() throws {
    let server = try AlertsServer { $0.limits.newAlerts.burst = 1000 }
    let device = try server.signIn("+12025550123")
    try device.sync()
    let (outcome, roundTrips) = server.respond(to: request(device, (0..<40).map { _ in device.activation() }))
    #expect(roundTrips == Array(repeating: 2, count: 10))
    #expect(try SyncResponse(jsonBytes: outcome.body).results.count == 40)
  }

  @Test func `a read are one`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    let alert = try device.raise()
    for path in [Route.alerts, Route.contacts, Route.accountSessions, "\(Route.alerts)/\(alert)"] {
      #expect(server.respond(to: request("GET", path, device)).roundTrips == [1], "\(path)")
    }
  }

  @Test func `signing in, refreshing and signing out are two each`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    server.advance(seconds: 60)
    let asked = server.respond(
      to: request("POST", Route.verifications, nil, VerificationRequest(phone: "+12025550123", region: nil).json()))
    let code = try #require(asked.outcome.codes.first).code
    let id = try VerificationResponse(jsonBytes: asked.outcome.body).verificationID
    let session = SessionRequest(verificationID: id, code: code, deviceName: "test").json()
    let refresh = TokenRequest(refreshToken: device.session.tokens.refreshToken).json()
    #expect(asked.roundTrips == [2])
    #expect(server.respond(to: request("POST", Route.sessions, nil, session)).roundTrips == [2])
    #expect(server.respond(to: request("POST", Route.tokens, nil, refresh)).roundTrips == [2])
    #expect(server.respond(to: request("DELETE", Route.currentSession, device)).roundTrips == [2])
  }

  @Test func `an acknowledgement are two, and of an unusable request none`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    let responder = try server.signIn("+12025550188")
    try device.sync([device.contact(phone: "+12025550188")])
    try responder.sync()
    let alert = try device.raise()
    let path = "\(Route.alerts)/\(alert)/acknowledgements"
    let (outcome, roundTrips) = server.respond(to: request("POST", path, responder))
    #expect(outcome.status == 200 && roundTrips == [2])
    #expect(server.respond(to: request("POST", Route.tokens, nil, Array("{".utf8))).roundTrips.isEmpty)
    #expect(server.respond(to: request("GET", Route.contacts, nil)).roundTrips == [0])
  }
}
