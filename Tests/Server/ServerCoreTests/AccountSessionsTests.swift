import Model
import Testing
import Wire

@testable import ServerCore

/// Tests the list of an account's sessions, and ending a session from another device.
@Suite struct `Sessions of an account` {
  private let server: AlertsServer
  private let kept: AlertsDevice
  private let lost: AlertsDevice

  init() throws {
    server = try AlertsServer()
    kept = try server.signIn("+12025550123")
    lost = try server.signIn("+12025550123")
  }

  private func sessions(of device: AlertsDevice) throws -> [SessionEntry] {
    try SessionsResponse(jsonBytes: device.get(Route.accountSessions).body).sessions
  }

  private func end(_ id: EntityID, by device: AlertsDevice) -> ServerOutcome {
    server.send("DELETE", "\(Route.accountSessions)/\(id)", token: device.token, contentType: nil)
  }

  @Test func `they are listed newest first, with the current one, and none of other accounts`() throws {
    let stranger = try server.signIn("+12025550124")
    try lost.sync()
    let listed = try sessions(of: kept)
    #expect(listed.map(\.isCurrent) == [false, true])
    #expect(listed.map(\.deviceName) == ["test", "test"])
    #expect(listed[0].createdAt > listed[1].createdAt)
    #expect(listed[0].lastSeenAt == server.now)
    #expect(try sessions(of: stranger).map(\.isCurrent) == [true])
  }

  @Test func `an ended one can do nothing, not even with its alert key`() throws {
    let id = try #require(try sessions(of: lost).first(where: \.isCurrent)).id
    #expect(end(id, by: kept).status == 204)
    #expect(lost.exchange([lost.activation()]).problem == .sessionRevoked)
    #expect(lost.exchange([lost.activation()], usesAlertKey: true).problem == .sessionRevoked)
    let refresh = TokenRequest(refreshToken: lost.session.tokens.refreshToken).json()
    #expect(server.send("POST", Route.tokens, refresh).status == 401)
    #expect(try sessions(of: kept).map(\.isCurrent) == [true])
    #expect(try kept.sync([kept.activation()]).statuses == [.applied])
    #expect(end(id, by: kept).problem == .notFound)
  }

  @Test func `nobody ends the session of another account`() throws {
    let stranger = try server.signIn("+12025550124")
    let id = try #require(try sessions(of: lost).first).id
    #expect(end(id, by: stranger).problem == .notFound)
    #expect(lost.exchange().status == 200)
  }

  @Test func `one with expired tokens is listed because of its alert key, and can be ended`() throws {
    server.advance(seconds: 61 * 86_400)
    let again = try server.signIn("+12025550123")
    let listed = try sessions(of: again)
    #expect(listed.map(\.isAlertKeyOnly) == [false, true, true])
    #expect(lost.exchange([lost.activation()], usesAlertKey: true).status == 200)
    for entry in listed.dropFirst() { #expect(end(entry.id, by: again).status == 204) }
    #expect(lost.exchange([lost.activation()], usesAlertKey: true).problem == .sessionRevoked)
  }
}
