import ChildPrograms
import Testing

@testable import CurlKit

@Suite(.blocking) struct `Hostile servers` {
  @Test func `an endless body ends at the limit`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
      while exchange.send([UInt8](repeating: 0x61, count: 8192)) {}
      return false
    }
    #expect(try CurlLoop().failure(plainRequest(server.url)) == .bodyTooLarge)
  }

  @Test func `a body that is announced as too large fails at once`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
      exchange.waitForPeerToLeave()
      return false
    }
    #expect(try CurlLoop().failure(plainRequest(server.url)) == .bodyTooLarge)
  }

  @Test func `a body at the limit is accepted, one byte more is not`() throws {
    let server = try ScriptedServer { $0.answer(String(repeating: "a", count: Int($0.request.path.dropFirst()) ?? 0)) }
    let loop = try CurlLoop()
    #expect(try loop.perform(plainRequest(server.url + "/65536")).body.count == 65536)
    #expect(try loop.failure(plainRequest(server.url + "/65537")) == .bodyTooLarge)
  }

  @Test(arguments: ["X-Junk: \(String(repeating: "a", count: 1000))\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
  func `endless headers end at the limit`(line: String) throws {
    let server = try ScriptedServer { exchange in
      exchange.send(line.hasPrefix("X") ? "HTTP/1.1 200 OK\r\n" : "")
      while exchange.send(line) {}
      return false
    }
    #expect(try CurlLoop().failure(plainRequest(server.url)) == .headersTooLarge)
  }

  @Test func `a silent server times out`() throws {
    let server = try ScriptedServer { exchange in
      exchange.waitForPeerToLeave()
      return false
    }
    var request = plainRequest(server.url)
    request.totalTimeoutMilliseconds = 50
    #expect(try CurlLoop().failure(request) == .timedOut)
  }

  @Test func `a trickle of bytes does not extend the timeout`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      while !exchange.waitForPeerToLeave(milliseconds: 5), exchange.send("a") {}
      return false
    }
    var request = plainRequest(server.url)
    request.totalTimeoutMilliseconds = 80
    #expect(try CurlLoop().failure(request) == .timedOut)
  }

  @Test func `a handshake that hangs counts as connecting`() throws {
    let server = try ScriptedServer { _ in true }
    var request = plainRequest("https://127.0.0.1:\(server.port)")
    request.connectTimeoutMilliseconds = 50
    #expect(try CurlLoop().failure(request) == .timedOut)
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "garbage\r\n\r\n", "\0\0\0\0", "SSH-2.0-x\r\n",
  ])
  func `half an answer, or none, is a failure`(text: String) throws {
    let server = try ScriptedServer { exchange in
      exchange.send(text)
      return false
    }
    #expect(try CurlLoop().failure(plainRequest(server.url)) == .protocolError)
  }

  @Test(arguments: [
    "Content-Length: -5\r\n\r\n{}", "Content-Length: many\r\n\r\n{}",
    "Content-Length: 2\r\nContent-Length: 400\r\n\r\n{}",
    "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}", "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
  ])
  func `a broken length is a failure or a complete body`(rest: String) throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\n" + rest)
      return false
    }
    do {
      #expect(try CurlLoop().perform(plainRequest(server.url)).body == Array("{}".utf8))
    } catch let error as CurlError {
      #expect(error.code == .protocolError)
    }
  }

  @Test func `endless trailers end at the limit`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
      while exchange.send("X-Late: 1\r\n") {}
      return false
    }
    #expect(try CurlLoop().failure(plainRequest(server.url)) == .headersTooLarge)
  }

  @Test func `a cookie is not sent back`() throws {
    let server = try ScriptedServer { $0.answer("{}", headers: "Set-Cookie: track=you; Path=/\r\n") }
    let loop = try CurlLoop()
    for _ in 0..<2 { _ = try loop.perform(plainRequest(server.url)) }
    #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.headers["cookie"] == nil })
  }

  @Test func `a closed port is a failure to connect`() throws {
    let server = try ScriptedServer { _ in true }
    server.close()
    #expect(try CurlLoop().failure(plainRequest(server.url)) == .cannotConnect)
  }

  @Test func `an unknown name cannot be resolved`() throws {
    #expect(try CurlLoop().failure(plainRequest("https://nobody.invalid/")) == .cannotResolve)
  }

  @Test func `a redirect is returned and not followed`() throws {
    let other = try ScriptedServer { $0.answer("secret taken") }
    let server = try ScriptedServer { $0.answer("", status: "302 Found", headers: "Location: \(other.url)/\r\n") }
    let response = try CurlLoop().perform(
      plainRequest(server.url, headers: [.init("Authorization", "Bearer canary")]))
    #expect(response.status == 302)
    #expect(server.requests.first?.headers["authorization"] == "Bearer canary")
    #expect(other.connectionCount == 0)
  }

  @Test func `compressed bytes are not unpacked`() throws {
    let server = try ScriptedServer { $0.answer("\u{1f}not gzip at all", headers: "Content-Encoding: gzip\r\n") }
    let response = try CurlLoop().perform(plainRequest(server.url))
    #expect(response.body == Array("\u{1f}not gzip at all".utf8))
  }

  @Test func `interim answers and trailers are not the answer's headers`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
      exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Real: 1\r\n\r\n")
      return exchange.send("2\r\nhi\r\n0\r\nX-Late: 1\r\n\r\n")
    }
    let response = try CurlLoop().perform(plainRequest(server.url))
    #expect(response.head.status == 200 && response.body == Array("hi".utf8))
    #expect(response.head.headers["x-real"] == "1")
    #expect(response.head.headers["x-early"] == nil && response.head.headers["x-late"] == nil)
  }
}
