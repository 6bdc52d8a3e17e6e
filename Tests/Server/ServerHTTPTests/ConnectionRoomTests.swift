import ChildPrograms
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `A server with as many connections as it may have` {
  private func shell(_ adjust: (inout HTTPSettings) -> Void = { _ in }) throws -> EchoShell {
    try EchoShell {
      $0.maximumConnections = 8
      $0.threads = 1
      adjust(&$0)
    }
  }

  /// A client whose request the server has begun to receive.
  private func unfinished(_ server: EchoShell) throws -> RawClient {
    let client = try server.client()
    client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(try client.head().status == 100)
    return client
  }

  @Test func `closes the one that has waited longest for each new one`() throws {
    let server = try shell()
    let idle = try (0..<8).map { _ in
      let client = try server.client()
      #expect(try client.exchange("GET", "/").status == 200)
      return client
    }
    let new = try server.client()
    #expect(try new.exchange("GET", "/new").status == 200)
    #expect(idle[0].readToEnd() == "")
    for client in idle[1...] { #expect(try client.exchange("GET", "/").status == 200) }
  }

  @Test func `serves each of a hundred, though nobody leaves`() throws {
    let server = try shell()
    var clients: [RawClient] = []
    for number in 0..<100 {
      clients.append(try server.client())
      #expect(try clients[number].exchange("GET", "/").status == 200)
    }
  }

  @Test func `closes none that is answered or has its event stream`() throws {
    let server = try shell()
    let streams = try (0..<6).map { _ in
      let client = try server.client()
      client.send("GET \(Route.events) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.head().status == 200)
      return client
    }
    var others: [RawClient] = []
    for number in 0..<50 {
      others.append(try server.client())
      #expect(try others[number].exchange("GET", "/").status == 200)
    }
    #expect(others[0].readToEnd() == "", "the server is full")
    server.hub.wake([EchoShell.account])
    for client in streams { #expect(try client.read(until: "event: change").hasSuffix("event: change")) }
  }

  @Test func `closes one whose client does not take its answer`() throws {
    let server = try shell()
    let lazy = try (0..<8).map { _ in
      let client = try server.client()
      client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try client.head().status == 200)
      return client
    }
    #expect(try server.client().exchange("GET", "/").status == 200)
    withExtendedLifetime(lazy) {}
  }

  @Test func `tells a request that makes room to come again`() throws {
    let server = try shell()
    let slow = try (0..<8).map { _ in try unfinished(server) }
    #expect(try server.client().exchange("GET", "/").status == 200)
    let answer = try slow[0].answer()
    #expect(answer.status == 503 && answer.isProblem)
    #expect(answer.headers["retry-after"] == "1")
  }
}

@Suite(.blocking) struct `Connections that make room` {
  /// Each change a millisecond after the one before.
  private func makers(_ stages: [(UInt64, RoomMakers.Stage)]) -> RoomMakers {
    var makers = RoomMakers()
    for (time, (connection, stage)) in stages.enumerated() { makers.note(connection, stage, at: Int64(time)) }
    return makers
  }

  private static let later: Int64 = 100_000

  private func all(_ makers: inout RoomMakers, at now: Int64 = later) -> [UInt64] {
    var taken: [UInt64] = []
    while let (connection, _) = makers.takeNext(at: now) { taken.append(connection) }
    return taken
  }

  @Test func `are those that wait, longest first, then those whose request is on its way`() {
    var makers = makers([(5, .receiving), (1, .receiving), (3, .answering), (4, .waiting), (2, .waiting)])
    #expect(all(&makers) == [4, 2, 5, 1])
    #expect(makers.takeNext(at: Self.later) == nil)
  }

  @Test func `are none that have just come, as long as others wait or send for longer`() {
    var makers = makers([(1, .receiving), (2, .receiving)])
    makers.note(3, .waiting, at: RoomMakers.graceMilliseconds - 1)
    makers.note(4, .waiting, at: RoomMakers.graceMilliseconds)
    #expect(makers.takeNext(at: RoomMakers.graceMilliseconds)?.connection == 1, "it has had its time, 3 has not")
    #expect(all(&makers, at: RoomMakers.graceMilliseconds) == [2, 3, 4], "where all have just come, the oldest")
    #expect(all(&makers) == [])
  }

  @Test func `are none that have gone on, or are gone`() {
    var makers = makers([(1, .waiting), (2, .waiting), (3, .waiting), (4, .receiving), (5, .waiting)])
    makers.note(1, .answering, at: 10)
    makers.note(2, .receiving, at: 11)
    makers.note(4, .waiting, at: 12)
    makers.remove(5)
    #expect(all(&makers) == [3, 4, 2])
    makers.note(2, .waiting, at: 13)
    #expect(makers.takeNext(at: Self.later)?.connection == 2, "one that was taken may be told of once more")
  }

  @Test func `are found among those that come and go all day`() {
    var makers = RoomMakers()
    for connection in 0..<100_000 as Range<UInt64> {
      let time = Int64(connection) * 100
      makers.note(connection, .waiting, at: time)
      makers.note(connection, .receiving, at: time)
      makers.note(connection, .answering, at: time)
      makers.note(connection, .waiting, at: time)
      if connection >= 10 { makers.remove(connection - 10) }
    }
    #expect(all(&makers, at: .max) == Array(99_990..<100_000))
  }
}
