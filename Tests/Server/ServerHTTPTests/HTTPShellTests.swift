import ChildPrograms
import Model
import ServerCore
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `The HTTP shell` {
  @Test func `passes a request on as it was sent`() throws {
    let server = try EchoShell()
    let answer = try server.client().exchange(
      "POST", "/v1/a%20b?limit=5&before=x%2By+z",
      headers: ["Authorization: Bearer t", "Content-Type: application/json"],
      body: Array("{}".utf8))
    #expect(answer.status == 200)
    #expect(
      answer.text
        == #"{"method":"POST","path":"/v1/a b","query":"before=x+y z;limit=5","authorization":"Bearer t","#
        + #""content_type":"application/json","bytes":2,"address":"127.0.0.1"}"#)
  }

  @Test func `sends the headers against content sniffing and caching`() throws {
    let answer = try EchoShell().client().exchange("GET", "/")
    #expect(answer.headers["x-content-type-options"] == "nosniff")
    #expect(answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
    #expect(answer.headers["server"] == nil)
  }

  @Test func `keeps the connection for the next request`() throws {
    let server = try EchoShell()
    let client = try server.client()
    for size in [0, 3, 100_000, 1 << 20] {
      let answer = try client.exchange("POST", "/", body: [UInt8](repeating: 0x20, count: size))
      #expect(answer.text.contains(#""bytes":\#(size)"#))
    }
  }

  @Test func `answers pipelined requests in order`() throws {
    let server = try EchoShell()
    let client = try server.client()
    client.send(
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}GET /3 HTTP/1.1\r\nHost: x\r\n\r\n"
    )
    for path in ["/1", "/2", "/3"] {
      #expect(try client.answer().text.contains(#""path":"\#(path)""#))
    }
  }

  @Test func `answers HTTP 1.0 and closes`() throws {
    let server = try EchoShell()
    let client = try server.client()
    client.send("GET /old HTTP/1.0\r\n\r\n")
    let text = try #require(client.readToEnd())
    #expect(text.contains(" 200 "))
    #expect(text.contains(#""path":"/old""#))
  }

  @Test func `answers HEAD without a body`() throws {
    let server = try EchoShell()
    let client = try server.client()
    let head = try client.exchange("HEAD", "/x")
    #expect(head.status == 200)
    #expect(head.headers["content-length"] != nil)
    #expect(try client.exchange("GET", "/y").text.contains(#""path":"/y""#))
    let stream = try client.exchange("HEAD", Route.events)
    #expect(stream.headers["content-type"] == "text/event-stream")
    #expect(server.hub.isEmpty)
  }

  @Test func `accepts a chunked body`() throws {
    let server = try EchoShell()
    let client = try server.client()
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
    #expect(try client.answer().text.contains(#""bytes":7"#))
  }

  @Test func `accepts the absolute form that proxies send`() throws {
    let answer = try EchoShell().client().exchange("GET", "http://localhost/x?a=1")
    #expect(answer.text.contains(#""path":"/x","query":"a=1""#))
  }

  @Test func `sends no media type without content`() throws {
    let answer = try EchoShell().client().exchange("DELETE", "/nothing")
    #expect(answer.status == 204)
    #expect(answer.headers["content-type"] == nil)
  }

  @Test func `refuses connections of one address beyond the limit, and accepts them again later`() throws {
    let server = try EchoShell {
      $0.maximumConnectionsPerAddress = 2
      $0.limitsLoopback = true
    }
    let first = try server.client()
    _ = try first.exchange("GET", "/")
    var second: RawClient? = try server.client()
    _ = try second?.exchange("GET", "/")
    let third = try server.client()
    third.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(third.readToEnd() == "")
    second = nil
    // The server notices the closed connection after a while.
    while try !isServed(server.client()) {}
    _ = try first.exchange("GET", "/")
  }

  private func isServed(_ client: RawClient) -> Bool {
    client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return client.readToEnd()?.isEmpty == false
  }

  @Test func `reports its address, with the port from the system`() throws {
    let server = try EchoShell()
    #expect(server.shell.address.port != 0)
    #expect(server.shell.address.description == "127.0.0.1:\(server.shell.address.port)")
  }

  @Test func `listens on IPv6`() throws {
    let hub = try EventHub(HTTPSettings())
    let shell = try HTTPShell.start(
      on: ListeningSocket(ListenAddress("[::1]:0")), settings: HTTPSettings(), tls: nil, hub: hub,
      admit: { _, _ in .now(.upTo(0)) }, respond: { _ in .now(.noContent) })
    #expect(shell.address.description == "[::1]:\(shell.address.port)")
    shell.stop()
  }

  @Test func `reports a port that is in use in one line`() throws {
    let server = try EchoShell()
    let error = try #require(throws: ServerError.self) {
      try HTTPShell.start(
        on: ListeningSocket(ListenAddress("127.0.0.1:\(server.shell.address.port)")), settings: HTTPSettings(),
        tls: nil,
        hub: EventHub(HTTPSettings()), admit: { _, _ in .now(.upTo(0)) }, respond: { _ in .now(.noContent) })
    }
    #expect(error.code == .cannotListen)
    #expect(error.message == "cannot listen on \(server.shell.address): another program listens there already")
  }
}
