import ChildPrograms
import Testing

@testable import CurlKit

@Suite(.blocking) struct `Answers` {
  @Test func `an answer has a status, headers and a body`() throws {
    let server = try ScriptedServer {
      $0.answer("tea", status: "418 Teapot", type: "Text/Plain; charset=utf-8", headers: "X-A: 1\r\nX-A: 2\r\n")
    }
    let response = try CurlLoop().perform(
      plainRequest(server.url + "/pot?x=1", method: "POST", headers: [.init("X-B", "3")], body: Array("water".utf8)))
    #expect(response.status == 418)
    #expect(response.head.mediaType == "text/plain")
    #expect(response.head.headers["x-a"] == "1, 2")
    #expect(response.body == Array("tea".utf8))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.path == "/pot?x=1" && request.body == Array("water".utf8))
    #expect(request.headers["x-b"] == "3")
    #expect(request.headers["accept-encoding"] == nil && request.headers["expect"] == nil)
  }

  @Test func `an empty POST and a DELETE need no body`() throws {
    let server = try ScriptedServer { $0.answer("") }
    let loop = try CurlLoop()
    #expect(try loop.perform(plainRequest(server.url, method: "POST")).status == 200)
    #expect(try loop.perform(plainRequest(server.url, method: "DELETE")).status == 200)
    #expect(server.requests.map(\.method) == ["POST", "DELETE"])
    #expect(server.requests.first?.headers["content-length"] == "0")
  }

  @Test func `one connection serves request after request`() throws {
    let server = try ScriptedServer { $0.answer("{}") }
    let loop = try CurlLoop()
    for _ in 0..<5 { #expect(try loop.perform(plainRequest(server.url)).status == 200) }
    #expect(server.connectionCount == 1)
  }

  @Test func `a connection that the server closed is replaced silently`() throws {
    let server = try ScriptedServer {
      $0.answer("{}")
      return false
    }
    let loop = try CurlLoop()
    for _ in 0..<3 { #expect(try loop.perform(plainRequest(server.url)).status == 200) }
    #expect(server.connectionCount == 3)
  }

  @Test func `idle connections can be dropped`() throws {
    let server = try ScriptedServer { $0.answer("{}") }
    let loop = try CurlLoop()
    _ = try loop.perform(plainRequest(server.url))
    loop.dropIdleConnections()
    #expect(try loop.perform(plainRequest(server.url)).status == 200)
    #expect(server.connectionCount == 2)
  }

  @Test func `dropping idle connections does not affect a request in flight`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/event-stream\r\n\r\na")
      exchange.waitForPeerToLeave(milliseconds: 50)
      return exchange.send("b")
    }
    let loop = try CurlLoop()
    var request = plainRequest(server.url)
    request.isStream = true
    // The second request reuses the first one's connection.
    _ = try loop.start(request)
    _ = try loop.events(4)
    _ = try loop.start(request)
    let first = try loop.events(2)
    loop.dropIdleConnections()
    let rest = try loop.events(2)
    #expect((first + rest).count == 4)
    guard case .finished = rest.last else { throw MissingEvents(events: rest) }
    #expect(server.connectionCount == 1)
  }

  @Test func `many requests run concurrently`() throws {
    let server = try ScriptedServer { $0.answer($0.request.path) }
    let loop = try CurlLoop()
    for number in 0..<40 { _ = try loop.start(plainRequest(server.url + "/\(number)")) }
    let bodies = try loop.events(40).compactMap { event -> String? in
      if case .finished(_, let response) = event { String(decoding: response.body, as: UTF8.self) } else { nil }
    }
    #expect(Set(bodies).count == 40)
    #expect(loop.activeCount == 0)
  }

  @Test func `a limit of connections queues requests`() throws {
    let server = try ScriptedServer { $0.answer("{}") }
    var options = CurlLoop.Options()
    options.maximumConnectionsPerHost = 1
    let loop = try CurlLoop(options: options)
    for _ in 0..<10 { _ = try loop.start(plainRequest(server.url)) }
    #expect(try loop.events(10).count == 10)
    #expect(server.connectionCount == 1)
  }

  @Test func `a blocking call returns the answer`() throws {
    let server = try ScriptedServer { $0.answer("hello") }
    #expect(try CurlCaller.perform(plainRequest(server.url)).body == Array("hello".utf8))
  }
}
