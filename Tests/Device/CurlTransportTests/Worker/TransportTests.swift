import ChildPrograms
import CurlKit
import SyncEngine
import Testing

@testable import CurlTransport

@Suite(.blocking) struct `The engine's requests` {
  private func request(_ server: ScriptedServer, number: UInt64 = 1, isStream: Bool = false) -> TransportRequest {
    TransportRequest(
      id: RequestID(number: number), method: "GET", url: server.url, headers: [.init("Authorization", "Bearer a")],
      body: [], isStream: isStream, connectTimeoutMilliseconds: 5000, totalTimeoutMilliseconds: isStream ? 0 : 10_000,
      maximumBodyBytes: 1000)
  }

  /// Sends a request and returns the engine's first `count` events.
  private func events(_ request: TransportRequest, _ count: Int) throws -> [SyncEvent] {
    let loop = try CurlLoop()
    let transport = Transport(loop: loop, certificateAuthorityFile: nil)
    if let failure = transport.send(request) { return [failure] }
    var events: [SyncEvent] = []
    while events.count < count {
      events += try loop.poll(timeoutMilliseconds: 20_000).events.flatMap { transport.translate($0) }
    }
    #expect(loop.activeCount == 0 || request.isStream)
    return events
  }

  private let id = RequestID(number: 1)

  @Test func `an answer with an error status is not a failure`() throws {
    let server = try ScriptedServer { $0.answer("no", status: "503 Busy", headers: "Retry-After: 7\r\n") }
    guard case .answer(id, let answer) = try events(request(server), 1).first else { throw Unexpected() }
    #expect(answer.status == 503 && answer.headers["retry-after"] == "7" && answer.body == Array("no".utf8))
  }

  @Test func `a stream opens, delivers events and ends as a failure`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n")
      exchange.send(": heartbeat\n\nevent: change\ndata: {}\n\nevent: later\ndata: {}\n\n")
      return false
    }
    let told = try events(request(server, isStream: true), 3)
    #expect(told.prefix(2) == [.streamOpened(id), .stream(id, .change)])
    guard case .failure(id, .protocolError) = told.last else { throw Unexpected() }
  }

  // Each event costs a read of the store, so a flood would delay alerts and the end of the worker.
  @Test func `a flood of events is merged`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
      exchange.send(String(repeating: ": heartbeat\n\nevent: change\ndata: {}\n\n", count: 50_000))
      return false
    }
    let loop = try CurlLoop()
    let transport = Transport(loop: loop, certificateAuthorityFile: nil)
    #expect(transport.send(request(server, isStream: true)) == nil)
    var told: [SyncEvent] = []
    while loop.activeCount > 0 {
      told += try loop.poll(timeoutMilliseconds: 20_000).events.flatMap { transport.translate($0) }
    }
    #expect(told.contains(.stream(id, .change)) && told.count < 5000)
  }

  @Test func `a portal's page instead of the stream is an answer that ends the wait`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")
      exchange.waitForPeerToLeave()
      return false
    }
    guard case .answer(id, let answer) = try events(request(server, isStream: true), 1).first else {
      throw Unexpected()
    }
    #expect(answer.status == 200 && answer.body.isEmpty)
  }

  @Test func `a refused stream is an answer with its problem`() throws {
    let server = try ScriptedServer { $0.answer("{}", status: "401 Unauthorized", type: "application/problem+json") }
    guard case .answer(id, let answer) = try events(request(server, isStream: true), 1).first else {
      throw Unexpected()
    }
    #expect(answer.status == 401 && answer.body == Array("{}".utf8))
  }

  @Test func `an endless line ends the stream`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
      while exchange.send([UInt8](repeating: 0x61, count: 500)) {}
      return false
    }
    #expect(try events(request(server, isStream: true), 2) == [.streamOpened(id), .failure(id, .bodyTooLarge)])
  }

  @Test func `a request that may not be sent fails at once`() throws {
    let loop = try CurlLoop()
    let transport = Transport(loop: loop, certificateAuthorityFile: nil)
    let request = TransportRequest(
      id: id, method: "GET", url: "http://example.org/", headers: [], body: [], isStream: false,
      connectTimeoutMilliseconds: 1, totalTimeoutMilliseconds: 1, maximumBodyBytes: 1)
    guard case .failure(id, .protocolError) = transport.send(request) else { throw Unexpected() }
  }

  @Test func `a cancelled request has no events`() throws {
    let server = try ScriptedServer { $0.answer("late") }
    let loop = try CurlLoop()
    let transport = Transport(loop: loop, certificateAuthorityFile: nil)
    #expect(transport.send(request(server, number: 1)) == nil)
    #expect(transport.send(request(server, number: 2)) == nil)
    transport.cancel(RequestID(number: 1))
    transport.cancel(RequestID(number: 9))
    var told: [SyncEvent] = []
    while loop.activeCount > 0 { told += try loop.poll().events.flatMap { transport.translate($0) } }
    #expect(told.count == 1)
    guard case .answer(RequestID(number: 2), _) = told.first else { throw Unexpected() }
  }

  struct Unexpected: Error {}
}
