import ChildPrograms
import Testing

@testable import CurlKit

@Suite(.blocking) struct `Policies` {
  private func code(_ url: String, _ policy: AddressPolicy) throws -> CurlError.Code {
    var request = plainRequest(url)
    request.addressPolicy = policy
    return try CurlLoop().failure(request)
  }

  @Test(arguments: [
    "http://example.org/", "http://127.0.0.1.example.org/", "http://localhost.example.org/", "http://10.0.0.1/",
    "http://[::2]/", "http://127.0.0.256/", "http://user@127.0.0.1/", "http://user:secret@127.0.0.1/",
    "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "127.0.0.1", "", "https://",
    "http://0.0.0.0/", "http://[::]/", "http://[::ffff:127.0.0.1]/",
  ])
  func `plain HTTP never leaves this machine`(url: String) throws {
    #expect([.invalidRequest, .invalidURL].contains(try code(url, .httpsOrLoopback)))
  }

  @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST", "127.1", "0x7f.0.0.1", "2130706433"])
  func `plain HTTP reaches this machine, however its address is written`(host: String) throws {
    let server = try ScriptedServer { $0.answer("here") }
    #expect(try CurlLoop().perform(plainRequest("http://\(host):\(server.port)/")).status == 200)
  }

  @Test(arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1", "2130706433"])
  func `a public-only request does not reach this machine, by address or by name`(host: String) throws {
    let server = try ScriptedServer { $0.answer("here") }
    #expect(try code("https://\(host):\(server.port)/", .publicOnly) == .addressRefused)
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: [
    "10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1",
    "[::1]", "[::]", "[fe80::1]", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::]",
    "[ff02::1]",
    "[::127.0.0.1]", "[2001:db8::1]", "[2001::1]", "[fec0::1]", "198.18.0.1", "203.0.113.7", "168.63.129.16",
  ])
  func `a public-only request opens no socket to a special address`(host: String) throws {
    #expect(try code("https://\(host)/", .publicOnly) == .addressRefused)
  }

  @Test(arguments: ["http://example.org/", "ftp://example.org/", "https://user@example.org/"])
  func `a public-only request is https`(url: String) throws {
    #expect([.invalidRequest, .invalidURL].contains(try code(url, .publicOnly)))
  }

  /// What `Model.Channel` refuses too.
  @Test(arguments: [
    "https://responder.example:99999/hook", "https://responder.example%00x/hook",
    "https://a.example:80x/",
    "https://[zz::]/",
  ])
  func `a URL that nobody can ask is told apart`(url: String) throws {
    #expect(try code(url, .publicOnly) == .invalidURL)
  }

  @Test func `ordinary addresses are public`() throws {
    let v4: [[UInt8]] = [
      [1, 1, 1, 1], [9, 255, 255, 255], [11, 0, 0, 0], [172, 15, 0, 1], [172, 32, 0, 1], [223, 1, 1, 1],
    ]
    for bytes in v4 { #expect(IPAddress(bytes)?.isPublic == true) }
    let v6: [UInt8] = [0x26, 0x06, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]
    #expect(IPAddress(v6)?.isPublic == true)
    #expect(IPAddress([1, 2, 3]) == nil)
  }

  @Test func `a restricted request does not use an unrestricted one's connection`() throws {
    let server = try ScriptedServer { $0.answer("{}") }
    let loop = try CurlLoop()
    var free = plainRequest(server.url)
    free.addressPolicy = .any
    _ = try loop.perform(free)
    _ = try loop.perform(free)
    #expect(server.connectionCount == 1)
    _ = try loop.perform(plainRequest(server.url))
    #expect(server.connectionCount == 2)
  }

  @Test(arguments: [("X\r\nY", "1"), ("X", "1\r\nY: 2"), ("", "1"), ("X Y", "1"), ("X:", "1"), ("X", "1\0")])
  func `a header cannot smuggle another`(name: String, value: String) throws {
    let request = plainRequest("http://127.0.0.1:1/", headers: [.init(name, value)])
    #expect(try CurlLoop().failure(request) == .invalidRequest)
  }

  @Test func `a method must be one word`() throws {
    #expect(
      try CurlLoop().failure(plainRequest("http://127.0.0.1:1/", method: "GET / HTTP/1.1\r\n")) == .invalidRequest)
  }
}
