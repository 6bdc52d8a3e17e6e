import ChildPrograms
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `Bad HTTP` {
  @Test(arguments: [
    "A GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET x HTTP/1.1\r\nHost: x\r\n\r\n",
    // What a proxy may understand otherwise.
    "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 2\r\n\r\n{}",
    "GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n\nA: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA(b): c\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA: b\u{7F}\r\n\r\n",
  ])
  func `is answered with a problem`(_ request: String) throws {
    let server = try EchoShell()
    let client = try server.client()
    client.send(request)
    let answer = try client.answer()
    #expect(answer.status == 400)
    #expect(answer.isProblem)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: x\r\n\n", "GET / HTTP/1.1\r\nHost: x\n\n", "GET / HTTP/1.1\r\nHost: x\r\nA: b\0\0\0\n\n",
  ])
  func `is refused with nothing behind it too, on a connection that was used`(_ request: String) throws {
    let client = try EchoShell().client()
    #expect(try client.exchange("GET", "/").status == 200)
    client.send(request)
    #expect(try client.answer().status == 400)
  }

  @Test func `is none of a head that arrives in any parts, as long as it is right`() throws {
    let server = try EchoShell()
    let headers = (0..<60).map { "X-\($0): \(String(repeating: "v", count: $0 * 7 % 50))\r\n" }.joined()
    let request = Array("GET / HTTP/1.1\r\nHost: x\r\n\(headers)Y:\t z \r\n\r\n".utf8)
    let client = try server.client()
    for size in [1, 2, 7, 100, request.count] {
      for start in stride(from: 0, to: request.count, by: size) {
        client.send(Array(request[start..<min(request.count, start + size)]))
      }
      #expect(try client.answer().status == 200)
    }
  }

  @Test(arguments: ["GARBAGE\r\n\r\n", "\u{16}\u{3}\u{1}\0\u{5}hello\r\n\r\n", "\r\n\r\n\r\n\0\0\r\n"])
  func `that is not HTTP ends the connection`(_ request: String) throws {
    let server = try EchoShell { $0.requestDeadlineMilliseconds = 500 }
    let client = try server.client()
    client.send(request)
    #expect(client.readToEnd() != nil)
    #expect(try server.client().exchange("GET", "/").status == 200)
  }

  @Test func `with headers that are too large is answered with a problem`() throws {
    let server = try EchoShell()
    for request in [
      "GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "a", count: 200_000) + "\r\n\r\n",
      "GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A: b\r\n", count: 50_000) + "\r\n",
    ] {
      let client = try server.client()
      client.send(request)
      let answer = try client.answer()
      #expect(answer.status == 431)
      #expect(answer.isProblem)
    }
  }

  @Test(arguments: [
    "GET /?" + String(repeating: "a&", count: 372) + " HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /?" + String(repeating: "a&", count: 5000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /?" + String(repeating: "a=b&", count: 2500) + " HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /\0?" + String(repeating: "a&", count: 5000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nCookie: " + String(repeating: "a;", count: 3000) + "\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\ncookie: " + String(repeating: "a", count: 9000) + "\r\nContent-Length: x\r\n\r\n",
  ])
  func `with more arguments or cookies than fit in memory does not end the server`(_ request: String) throws {
    let server = try EchoShell()
    let client = try server.client()
    client.send(request)
    #expect(try client.answer().status == (request.contains("Content-Length") ? 400 : 200))
    #expect(try server.client().exchange("GET", "/").status == 200)
  }

  @Test func `with a long query is read to its last argument`() throws {
    let client = try EchoShell().client()
    let answer = try client.exchange("GET", "/?" + String(repeating: "a=1&", count: 2000) + "z=last")
    #expect(answer.text.contains("a=1;z=last"))
  }

  @Test func `with a length over the limit is answered before its body is read`() throws {
    let server = try EchoShell()
    let client = try server.client()
    client.send("POST /v1/sync HTTP/1.1\r\nHost: x\r\nContent-Length: 2097152\r\n\r\n")
    let answer = try client.answer()
    #expect(answer.status == 413)
    #expect(answer.isProblem)
  }

  @Test func `of two mebibytes can be sent completely, and the client still reads its answer`() throws {
    let server = try EchoShell()
    for _ in 0..<20 {
      let client = try server.client()
      client.send("POST /v1/sync HTTP/1.1\r\nHost: x\r\nContent-Length: 2097152\r\n\r\n")
      #expect(client.send([UInt8](repeating: 0x20, count: 2 << 20)) == 2 << 20)
      let answer = try client.answer()
      #expect(answer.status == 413)
      #expect(answer.isProblem)
    }
  }

  @Test func `with a length that overflows is too large`() throws {
    let server = try EchoShell()
    let client = try server.client()
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n")
    let answer = try client.answer()
    #expect(answer.status == 413 || answer.status == 400)
    #expect(answer.isProblem)
  }

  @Test func `chunked without an end is cut at the limit`() throws {
    let server = try EchoShell()
    let client = try server.client()
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = "10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n"
    for _ in 0..<17 where client.send(chunk) < chunk.utf8.count { break }
    let answer = try client.answer()
    #expect(answer.status == 413)
    #expect(answer.isProblem)
  }

  @Test func `that closes in the middle harms no other client`() throws {
    let server = try EchoShell()
    for part in ["", "GE", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"] {
      try server.client().send(part)
    }
    #expect(try server.client().exchange("GET", "/").status == 200)
  }
}

@Suite(.blocking) struct `A client that drips` {
  private func shellWithShortTimeouts() throws -> EchoShell {
    try EchoShell {
      $0.requestDeadlineMilliseconds = 200
      $0.keepAliveMilliseconds = 200
      $0.answerDeadlineMilliseconds = 200
    }
  }

  /// Sends a byte about every 20 ms until the server closes the connection, and returns the server's answer.
  private func drip(_ text: String, to client: RawClient) -> String {
    for byte in text.utf8 {
      guard client.send([byte]) == 1, !client.hasAnswer(withinMilliseconds: 20) else { break }
    }
    return client.readToEnd() ?? "the server did not close"
  }

  @Test func `while sending its headers is cut off with a problem`() throws {
    let server = try shellWithShortTimeouts()
    let answer = drip("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 500), to: try server.client())
    #expect(answer.hasPrefix("HTTP/1.1 408 "))
    #expect(answer.contains("urn:lifesignal:problem:request-timeout"))
  }

  @Test func `while sending its body is cut off with a problem`() throws {
    let server = try shellWithShortTimeouts()
    let client = try server.client()
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
    #expect(drip(String(repeating: " ", count: 500), to: client).hasPrefix("HTTP/1.1 408 "))
  }

  @Test func `while sending its second request is cut off too`() throws {
    let server = try shellWithShortTimeouts()
    let client = try server.client()
    _ = try client.exchange("GET", "/")
    #expect(
      drip("POST / HTTP/1.1\r\nX: " + String(repeating: "a", count: 500), to: client) != "the server did not close")
  }

  @Test func `without sending anything is cut off`() throws {
    let server = try shellWithShortTimeouts()
    #expect(try server.client().readToEnd() != nil)
  }

  @Test func `without reading its answer is cut off`() throws {
    let server = try shellWithShortTimeouts()
    let client = try server.client()
    client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(client.hasAnswer(withinMilliseconds: 5000))
    // The socket buffers hold a few megabytes; the server still has the rest when it closes the connection.
    let watcher = try server.client()
    let deadline = ContinuousClock.now + .seconds(30)
    repeat {
      _ = try watcher.exchange("GET", "/")
      try #require(ContinuousClock.now < deadline, "the server did not close the connection within 30 s")
    } while server.shell.limits.count > 1
    #expect(try #require(client.readToEnd()).utf8.count < 8 << 20)
  }

  @Test func `does not delay others`() throws {
    let server = try shellWithShortTimeouts()
    var drippers: [RawClient] = []
    for _ in 0..<50 {
      let client = try server.client()
      client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
      drippers.append(client)
    }
    #expect(try server.client().exchange("GET", "/").status == 200)
  }
}
