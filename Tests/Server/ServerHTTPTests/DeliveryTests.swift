import ChildPrograms
import Foundation
import Model
import Secrets
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `The delivery loop` {
  /// Adds a responder with these channels, and raises an alert with its notification request.
  private func raise(
    on server: LiveServer, _ session: SessionResponse, channels: [String]
  ) throws -> (AlertID, SyncResponse) {
    let alert: AlertID = newID()
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550188", isResponder: true, isDependent: false,
      channels: channels.map { try Channel($0) })
    let answer = try server.sync(
      session, [(newID(), .putContact(details)), (EntityID(alert), activation(message: "fire"))],
      notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .activated)])
    #expect(answer.results.allSatisfy { $0.status == .applied })
    return (alert, answer)
  }

  /// Waits until all of the account's receipts are as wanted, and returns their states. It checks after each announced
  /// change.
  private func waitForReceipts(
    _ server: LiveServer, _ session: SessionResponse, _ stream: RawClient, _ isWanted: ([Receipt]) -> Bool
  ) throws -> [Receipt] {
    while true {
      let receipts = try server.sync(session).changes.compactMap {
        if case .receipt(let receipt) = $0 { receipt } else { nil }
      }
      if isWanted(receipts) { return receipts }
      _ = try stream.read(until: StreamEvent.change.text)
    }
  }

  @Test func `sends a signed webhook and a message to a topic, and informs the device`() throws {
    let webhook = try TestReceiver()
    let topic = try TestReceiver()
    let server = try LiveServer()
    let session = try server.signIn()
    let stream = try server.events(session)
    let (_, answer) = try raise(
      on: server, session,
      channels: ["http://127.0.0.1:\(webhook.port)/hook", "ntfy+http://127.0.0.1:\(topic.port)/ana"])
    let received = try #require(webhook.next())
    #expect(received.line == "POST /hook HTTP/1.1")
    try checkSignature(received, secret: webhookSecret(in: answer))
    #expect(String(decoding: received.body, as: UTF8.self).contains(#""type":"alert.activated""#))
    let message = try #require(topic.next())
    #expect(message.path == "/ana")
    #expect(message.headers["title"] != nil)
    let receipts = try waitForReceipts(server, session, stream) { $0.count == 2 && $0.allSatisfy { $0.state == .sent } }
    #expect(Set(receipts.map(\.channel)) == [.webhook, .ntfy])
  }

  @Test(.timeLimit(.minutes(5)))
  func `does not let "safe" wait for the lease of a reminder that a newer call cancelled`()
    throws
  {
    let webhook = try TestReceiver([.init(status: 200), .silence, .init(status: 200)])
    let server = try LiveServer()
    let session = try server.signIn()
    let (alert, _) = try raise(on: server, session, channels: ["http://127.0.0.1:\(webhook.port)/hook"])
    _ = try #require(webhook.next())
    server.setClockForward(seconds: 61)
    func call(_ message: String) throws {
      let update = AlertUpdate(at: LiveServer.now(), message: message)
      _ = try server.sync(session, [(EntityID(alert), .updateAlert(update))])
    }
    func isAbout(_ words: String, _ received: TestReceiver.Received?) throws {
      let text = String(decoding: try #require(received).body, as: UTF8.self)
      #expect(text.contains(words), "\(text)")
    }
    // The loop looks at least every five seconds.
    try isAbout("Nobody is responding yet.", webhook.next())
    try call("worse")
    #expect(webhook.isHungUpOn())
    try isAbout("worse", webhook.next())
    let end = Mutation.Change.deactivateAlert(AlertDeactivation(endedAt: LiveServer.now()))
    _ = try server.sync(
      session, [(EntityID(alert), end)],
      notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .deactivated)])
    try isAbout("alert.deactivated", webhook.next(withinSeconds: 30))
  }

  @Test(.timeLimit(.minutes(5))) func `cancels its attempts when a clock set forward has ended the lease`()
    throws
  {
    let webhook = try TestReceiver([.silence, .init(status: 200)])
    let topic = try TestReceiver()
    let server = try LiveServer()
    let session = try server.signIn()
    let stream = try server.events(session)
    _ = try raise(on: server, session, channels: ["http://127.0.0.1:\(webhook.port)/hook"])
    let first = try #require(webhook.next())
    server.setClockForward(seconds: 120)
    // A further message wakes the loop, which then checks all due messages.
    _ = try raise(on: server, session, channels: ["ntfy+http://127.0.0.1:\(topic.port)/ana"])
    #expect(webhook.isHungUpOn(withinSeconds: 10))
    // One of the requests is about the further alert.
    let later = [try #require(webhook.next()), try #require(webhook.next())]
    #expect(later.contains { $0.headers["webhook-id"] == first.headers["webhook-id"] })
    let receipts = try waitForReceipts(server, session, stream) { $0.count > 2 && $0.allSatisfy { $0.state == .sent } }
    #expect(receipts.allSatisfy { $0.reason == nil })
  }

  @Test(.timeLimit(.minutes(5))) func `resends at once after a kill what was under way`()
    throws
  {
    let webhook = try TestReceiver([.silence, .init(status: 200)])
    let killed = try LiveServer()
    let session = try killed.signIn()
    _ = try raise(on: killed, session, channels: ["http://127.0.0.1:\(webhook.port)/hook"])
    let first = try #require(webhook.next())
    // The files are in the state after a kill.
    let folder = ScratchFolder(in: ScratchFolder.onDisk)
    for name in ["server.sqlite", "server.sqlite-wal"] {
      try FileManager.default.copyItem(atPath: killed.folder.path + "/" + name, toPath: folder.path + "/" + name)
    }
    let next = try LiveServer(folder: folder)
    // The message arrives before the first server's attempt would time out.
    let second = try #require(webhook.next(withinSeconds: 10))
    #expect(second.headers["webhook-id"] == first.headers["webhook-id"])
    let stream = try next.events(session)
    _ = try waitForReceipts(next, session, stream) { $0.map(\.state) == [.sent] }
  }

  private func webhookSecret(in answer: SyncResponse) throws -> String {
    let contacts = answer.changes.compactMap { if case .contact(_, let record?) = $0 { record } else { nil } }
    return try #require(contacts.first).webhookSecret
  }

  /// Checks the signature as the Standard Webhooks specification says.
  private func checkSignature(_ received: TestReceiver.Received, secret: String) throws {
    let id = try #require(received.headers["webhook-id"])
    let time = try #require(received.headers["webhook-timestamp"])
    let key = try #require(Base64.decode(String(secret.dropFirst("whsec_".count))))
    let code = HMACSHA256.of(Array("\(id).\(time).".utf8) + received.body, key: key)
    #expect(received.headers["webhook-signature"] == "v1," + Base64.encode(code))
  }

  @Test func `wakes the device's stream when a message was accepted`() throws {
    let webhook = try TestReceiver([.init(status: 204, isHeld: true)])
    let server = try LiveServer()
    let session = try server.signIn()
    _ = try raise(on: server, session, channels: ["http://127.0.0.1:\(webhook.port)/hook"])
    _ = try #require(webhook.next())
    let stream = try server.events(session)
    #expect(try states(server, session) == [.queued])
    #expect(!stream.hasAnswer(withinMilliseconds: 20))
    webhook.release()
    _ = try stream.read(until: StreamEvent.change.text)
    #expect(try states(server, session) == [.sent])
  }

  private func states(_ server: LiveServer, _ session: SessionResponse) throws -> [DeliveryState] {
    try server.sync(session).changes.compactMap { if case .receipt(let receipt) = $0 { receipt.state } else { nil } }
  }

  @Test func `retries after a 503, with the same id`() throws {
    let webhook = try TestReceiver([.init(status: 503), .init(status: 200)])
    let server = try LiveServer()
    let session = try server.signIn()
    let stream = try server.events(session)
    _ = try raise(on: server, session, channels: ["http://127.0.0.1:\(webhook.port)/hook"])
    let first = try #require(webhook.next())
    let second = try #require(webhook.next())
    #expect(first.headers["webhook-id"] == second.headers["webhook-id"])
    let receipts = try waitForReceipts(server, session, stream) { $0.count == 1 && $0.allSatisfy { $0.state == .sent } }
    #expect(receipts.count == 1)
  }

  @Test func `retries until somebody listens on the port`() throws {
    let port = try TestReceiver().port
    let server = try LiveServer()
    let session = try server.signIn()
    let stream = try server.events(session)
    _ = try raise(on: server, session, channels: ["http://127.0.0.1:\(port)/hook"])
    let receipts = try waitForReceipts(server, session, stream) { $0.contains { $0.reason != nil } }
    #expect(receipts.first?.state == .queued)
  }

  @Test func `sends to many at once while one does not answer`() throws {
    let silent = try TestReceiver([.silence])
    let webhook = try TestReceiver()
    let server = try LiveServer()
    let session = try server.signIn()
    let channels = ["http://127.0.0.1:\(silent.port)/never"] + (1...9).map { "http://127.0.0.1:\(webhook.port)/\($0)" }
    _ = try raise(on: server, session, channels: channels)
    _ = try #require(silent.next())
    let paths = Set((1...9).compactMap { _ in webhook.next()?.path })
    #expect(paths == Set((1...9).map { "/\($0)" }))
    let start = monotonicMilliseconds()
    server.stop()
    #expect(monotonicMilliseconds() - start < 5000, "it waits a moment for answers, and no longer")
  }

  @Test func `sends after a restart what a stop interrupted`() throws {
    let webhook = try TestReceiver([.silence, .init(status: 200)])
    let folder = ScratchFolder(in: ScratchFolder.onDisk)
    let first = try LiveServer(folder: folder)
    let session = try first.signIn()
    _ = try raise(on: first, session, channels: ["http://127.0.0.1:\(webhook.port)/hook"])
    let broken = try #require(webhook.next())
    first.stop()
    let second = try LiveServer(folder: folder)
    let again = try #require(webhook.next())
    #expect(again.headers["webhook-id"] == broken.headers["webhook-id"])
    _ = second
  }

  @Test func `does not reach private addresses unless allowed`() throws {
    let webhook = try TestReceiver()
    let server = try LiveServer(allowsPrivateChannels: false)
    let session = try server.signIn()
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550188", isResponder: true, isDependent: false,
      channels: [Channel("http://127.0.0.1:\(webhook.port)/hook")])
    let answer = try server.sync(session, [(newID(), .putContact(details))])
    #expect(answer.results.first?.code == "invalid_channel")
  }
}
