import ChildPrograms
import Glibc
import Model
import ServerCore
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `An event stream` {
  private func open(on server: EchoShell) throws -> RawClient {
    let client = try server.client()
    client.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
    let head = try client.head()
    #expect(head.status == 200)
    #expect(head.headers["content-type"] == "text/event-stream")
    _ = try client.read(until: StreamEvent.heartbeat.text)
    return client
  }

  @Test func `tells a change at once`() throws {
    let server = try EchoShell()
    let client = try open(on: server)
    let start = monotonicMilliseconds()
    for _ in 0..<100 {
      server.hub.wake([EchoShell.account])
      _ = try client.read(until: StreamEvent.change.text)
    }
    #expect(monotonicMilliseconds() - start < 5000)
  }

  @Test func `says nothing of other accounts`() throws {
    let server = try EchoShell()
    let client = try open(on: server)
    server.hub.wake([AccountID(versionSevenAt: Timestamp(milliseconds: 9), random: (9, 9))])
    #expect(!client.hasAnswer(withinMilliseconds: 50))
  }

  @Test func `beats while nothing happens`() throws {
    let server = try EchoShell { $0.tickMilliseconds = 50 }
    let client = try open(on: server)
    for _ in 0..<3 { _ = try client.read(until: StreamEvent.heartbeat.text) }
  }

  @Test func `beats at its own interval beside others`() throws {
    let server = try EchoShell { $0.tickMilliseconds = 10 }
    let rare = try server.client()
    rare.send("GET /v1/events?heartbeat=600 HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = try rare.read(until: StreamEvent.heartbeat.text)
    let client = try open(on: server)
    for _ in 0..<3 { _ = try client.read(until: StreamEvent.heartbeat.text) }
    _ = try rare.read(until: StreamEvent.heartbeat.text)
  }

  /// Not of a connection, so that the library is never called with it: it has ended, and still says what is due.
  private func stream(ticksPerHeartbeat: Int, descriptor: Int32 = -1) throws -> EventStream {
    let stream = EventStream(
      account: EchoShell.account, holder: .session(EchoShell.session), ticksPerHeartbeat: ticksPerHeartbeat,
      connection: try #require(OpaquePointer(bitPattern: 8)), descriptor: descriptor, at: 0)
    stream.markEnded()
    return stream
  }

  private func said(_ stream: EventStream) -> String {
    var buffer = [CChar](repeating: 0, count: 100)
    let count = stream.read(into: &buffer, maximum: 100)
    return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func tick(_ stream: EventStream, spread: Int64 = 5000) -> String {
    stream.tick(at: 1, lifetime: .max, spreadMilliseconds: spread)
    return said(stream)
  }

  @Test(arguments: [1, 2, 24]) func `beats after so many ticks without a word`(ticks: Int) throws {
    let stream = try stream(ticksPerHeartbeat: ticks)
    #expect(said(stream) == "retry: 5000\n: heartbeat\n\n")
    for _ in 0..<3 {
      for _ in 1..<ticks { #expect(tick(stream) == "") }
      #expect(tick(stream) == "retry: 5000\n: heartbeat\n\n")
    }
    for _ in 1..<ticks { #expect(tick(stream) == "") }
    stream.change()
    #expect(said(stream) == StreamEvent.change.text)
    for _ in 1..<ticks { #expect(tick(stream) == "") }
    #expect(tick(stream) != "")
  }

  /// A server that starts gets thousands of streams back: the first ones were told to return within seconds.
  @Test func `beats sooner when clients were told to return twice as fast as is right by now`() throws {
    let stream = try stream(ticksPerHeartbeat: 24)
    _ = said(stream)
    #expect(tick(stream, spread: 9999) == "")
    #expect(tick(stream, spread: 10_000) == "retry: 10000\n: heartbeat\n\n")
    #expect(tick(stream, spread: 19_000) == "")
    #expect(tick(stream, spread: 5000) == "", "too slow does no harm")
  }

  @Test func `whose client left is let go at the next tick, however rare its heartbeats are`() throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { close(ends[0]) }
    let stream = try stream(ticksPerHeartbeat: 24, descriptor: ends[0])
    _ = said(stream)
    #expect(tick(stream) == "")
    close(ends[1])
    #expect(tick(stream) != "")
  }

  @Test func `does not hold a thread`() throws {
    let server = try EchoShell { $0.threads = 2 }
    let clients = try (0..<16).map { _ in try open(on: server) }
    #expect(try server.client().exchange("GET", "/").status == 200)
    server.hub.wake([EchoShell.account])
    for client in clients { _ = try client.read(until: StreamEvent.change.text) }
  }

  @Test func `beyond the bound ends the oldest of its account`() throws {
    let server = try EchoShell { $0.maximumStreamsPerAccount = 2 }
    let clients = try (0..<3).map { _ in try open(on: server) }
    _ = try clients[0].read(until: "0\r\n\r\n")
    server.hub.wake([EchoShell.account])
    for client in clients.dropFirst() { _ = try client.read(until: StreamEvent.change.text) }
  }

  @Test func `that has ended does not count, though its connection is still closing`() throws {
    var settings = HTTPSettings()
    settings.maximumStreamsPerAccount = 2
    let hub = try EventHub(settings)
    let streams = try (0..<5).map { _ in
      // Not suspended, so that the library is never called with it.
      EventStream(
        account: EchoShell.account, holder: .session(EchoShell.session),
        connection: try #require(OpaquePointer(bitPattern: 8)),
        descriptor: -1, at: 0)
    }
    for stream in streams { #expect(hub.add(stream, at: 0) == .taken) }
    #expect(streams.map(\.isEnded) == [true, true, true, false, false])
  }

  @Test func `beyond the server's bound is a problem`() throws {
    let server = try EchoShell { $0.maximumConnections = 16 }
    let clients = try (0..<12).map { _ in try open(on: server) }
    let answer = try server.client().exchange("GET", "/v1/events")
    #expect(answer.status == 503)
    #expect(answer.isProblem)
    #expect(answer.headers["retry-after"] == "30")
    #expect(clients.count == 12)
  }

  @Test func `ends within a second when its session signs out`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let stream = try server.events(session)
    let start = monotonicMilliseconds()
    let answer = try server.client().exchange(
      "DELETE", Route.currentSession, headers: ["Authorization: Bearer \(session.tokens.accessToken)"])
    #expect(answer.status == 204)
    _ = try stream.read(until: "0\r\n\r\n")
    #expect(monotonicMilliseconds() - start < 1000)
  }

  @Test func `of another session goes on when one signs out`() throws {
    let server = try EchoShell()
    let client = try open(on: server)
    server.hub.end([SessionID(versionSevenAt: Timestamp(milliseconds: 9), random: (9, 9))], at: 0)
    server.hub.wake([EchoShell.account])
    _ = try client.read(until: StreamEvent.change.text)
  }

  @Test func `that its session asked for before it ended is refused`() throws {
    let server = try EchoShell()
    server.hub.end([EchoShell.session], at: monotonicMilliseconds())
    #expect(try server.client().exchange("GET", "/v1/events").status == 401)
  }

  @Test func `ends properly when the server stops`() throws {
    let server = try EchoShell()
    let client = try open(on: server)
    let start = monotonicMilliseconds()
    server.shell.stop()
    #expect(client.readToEnd()?.hasSuffix("0\r\n\r\n") == true)
    #expect(monotonicMilliseconds() - start < 1000)
  }

  @Test func `whose client went away is let go`() throws {
    let server = try EchoShell { $0.tickMilliseconds = 20 }
    do { _ = try open(on: server) }
    let watcher = try server.client()
    while !server.hub.isEmpty { _ = try watcher.exchange("GET", "/") }
  }

  @Test func `ends after its lifetime`() throws {
    let server = try EchoShell {
      $0.tickMilliseconds = 20
      $0.streamLifetimeMilliseconds = 100
    }
    let client = try open(on: server)
    let text = try client.read(until: "0\r\n\r\n")
    #expect(text.contains("heartbeat"))
    #expect(text.contains("retry: 25000\n"), "it is opened again soon: the others are still there")
  }

  @Test func `says how long its client is to wait when all of them break: a second for each`() throws {
    let server = try EchoShell { $0.tickMilliseconds = 20 }
    let first = try server.client()
    first.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try first.read(until: StreamEvent.heartbeat.text).contains("retry: 5000\n: heartbeat"))
    let others = try (0..<6).map { _ in try open(on: server) }
    _ = try first.read(until: "retry: 7000\n: heartbeat\n\n")
    #expect(others.count == 6)
  }
}
