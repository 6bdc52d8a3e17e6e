import ChildPrograms
import ServerCore
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `A body` {
  private static let large = 1 << 20

  /// The head alone.
  private func head(_ path: String, _ headers: [String], length: Int? = large) -> String {
    let framing = length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
    let lines = ["POST \(path) HTTP/1.1", "Host: x", "Content-Type: application/json", framing] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  private func bearer(_ session: SessionResponse) -> [String] {
    ["Authorization: Bearer \(session.tokens.accessToken)"]
  }

  @Test(arguments: [large, nil]) func `that is large is not read from somebody without a token`(_ length: Int?) throws {
    let server = try LiveServer()
    for headers in [[], ["Authorization: Bearer lsa_wrong"], ["Authorization: Basic eDp5"]] {
      let client = try server.client()
      client.send(head(Route.sync, headers, length: length))
      let answer = try client.answer()
      #expect(answer.status == 401 && answer.isProblem)
      #expect(answer.headers["www-authenticate"] == "Bearer")
      #expect(client.readToEnd() == "", "the connection ends")
    }
  }

  @Test(arguments: [Route.verifications, Route.sessions, Route.tokens, Route.inboundSMS, "/a/x/acknowledgements"])
  func `of a request that anyone may make is small`(_ path: String) throws {
    let client = try LiveServer().client()
    client.send(head(path, [], length: (16 << 10) + 1))
    #expect(try client.answer().status == 413)
  }

  @Test func `that is large is not read where there is nothing`() throws {
    let server = try LiveServer()
    for (path, status) in [("/nothing", 404), (Route.events, 405)] {
      let client = try server.client()
      client.send(head(path, []))
      #expect(try client.answer().status == status)
    }
  }

  @Test func `that is small is read first, so that the connection can go on`() throws {
    let client = try LiveServer().client()
    for _ in 0..<3 {
      #expect(try client.post(Route.sync, [UInt8](repeating: 0x20, count: 16 << 10)).status == 401)
    }
  }

  @Test func `that is large is read from a session, on a connection that goes on`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let client = try server.client()
    let exchange = Array(#"{"device_id": "019a4f0e-0000-7000-8000-00000000d001"}"#.utf8)
    let body = exchange + [UInt8](repeating: 0x20, count: Self.large - exchange.count)
    for _ in 0..<3 { #expect(try client.post(Route.sync, body, token: session.tokens.accessToken).status == 200) }
    client.send(head(Route.sync, bearer(session) + ["Expect: 100-continue"]))
    #expect(try client.head().status == 100)
    client.send(body)
    #expect(try client.answer().status == 200)
  }

  @Test func `of no stated length is read from a session`() throws {
    let server = try LiveServer()
    let client = try server.client()
    client.send(head(Route.sync, bearer(try server.signIn()), length: nil))
    let exchange = #"{"device_id": "019a4f0e-0000-7000-8000-00000000d001"}"#
    let space = String(repeating: " ", count: 0x8000)
    client.send("\(String(exchange.utf8.count, radix: 16))\r\n\(exchange)\r\n8000\r\n\(space)\r\n0\r\n\r\n")
    #expect(try client.answer().status == 200)
  }

  @Test func `that is large has room beside few others of one account, and of all`() throws {
    let server = try LiveServer(adjust: {
      $0.maximumLargeBodies = 3; $0.maximumLargeBodiesPerCredential = 2
    })
    let (one, other) = (try server.signIn(), try server.signIn("+12025550124"))
    func begin(_ session: SessionResponse) throws -> (RawClient, Int) {
      let client = try server.client()
      client.send(head(Route.sync, bearer(session) + ["Expect: 100-continue"]))
      return (client, try client.head().status)
    }
    var open: [RawClient] = []
    for (session, status) in [(one, 100), (one, 100), (one, 503), (other, 100), (other, 503)] {
      let (client, answered) = try begin(session)
      #expect(answered == status)
      if status == 100 { open.append(client) }
    }
    #expect(
      try server.client().post(Route.sync, [0x7B, 0x7D], token: one.tokens.accessToken).status == 400,
      "small ones wait for none")
    open = []
    while try begin(one).1 != 100 {}
  }

  @Test func `is waited for, or not, as the server decides while the connection is suspended`() throws {
    let server = try EchoShell()
    let client = try server.client()
    #expect(try client.exchange("POST", "/small", body: [UInt8](repeating: 0x20, count: 10)).status == 200)
    client.send(head("/refused", []))
    #expect(try client.answer().status == 403)
    #expect(client.readToEnd() == "")
    let other = try server.client()
    other.send(head("/small", [], length: nil) + "b\r\n12345678901\r\n0\r\n\r\n")
    #expect(try other.answer().status == 413)
  }
}
