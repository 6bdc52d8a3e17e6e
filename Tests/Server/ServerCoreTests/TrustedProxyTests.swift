import Testing

@testable import ServerCore

@Suite struct `Trusted proxies` {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("10.0.0.0/8", "10.255.0.1", true),
    ("10.0.0.0/8", "11.0.0.0", false), ("192.0.2.0/23", "192.0.3.9", true), ("192.0.2.0/23", "192.0.4.0", false),
    ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
    ("2001:db8::/33", "2001:db8:8000::1", false), (" ::1 , unix", "::1", true), ("::1,unix", "unix", true),
    ("::1", "unix", false), ("unix", "unknown", false), ("::ffff:192.0.2.1", "192.0.2.1", true),
    ("192.0.2.1", "::ffff:192.0.2.1", true),
  ])
  func `are addresses and ranges`(_ list: String, _ address: String, _ isTrusted: Bool) throws {
    #expect(try #require(TrustedProxies(list)).trusts(address) == isTrusted)
  }

  @Test(arguments: [
    "", "proxy", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0", "::1,", "fe80::1%eth0", "[::1]",
  ])
  func `are nothing else`(_ list: String) {
    #expect(TrustedProxies(list) == nil)
  }

  /// The peer is the nearest proxy, 10.0.0.1.
  @Test(arguments: [
    ("for=203.0.113.7", "203.0.113.7"), ("For=203.0.113.7:4711;proto=https;by=10.0.0.1", "203.0.113.7"),
    (#"proto=https; for="[2001:db8::7]:4711""#, "2001:db8::7"), (#"for="[2001:db8::7]""#, "2001:db8::7"),
    ("for=2001:db8::7", "2001:db8::7"), (#"for="203.0.113.7:_port""#, "203.0.113.7"),
    // What the client says of itself is not believed: the last one that a trusted proxy tells counts.
    ("for=198.51.100.1, for=203.0.113.7", "203.0.113.7"),
    ("for=198.51.100.1,for=203.0.113.7,for=10.0.0.2", "203.0.113.7"),
    (#"for="198.51.100.1, for=192.0.2.9", for=203.0.113.7"#, "203.0.113.7"),
    (#"a="\", for=10.0.0.9", for=203.0.113.7"#, "203.0.113.7"),
    // A quote that the client left open swallows nothing.
    (#"for=198.51.100.1;x=", for=203.0.113.7"#, "203.0.113.7"), (#"for="198.51.100.1,for=203.0.113.7"#, "203.0.113.7"),
    (#"for=198.51.100.1;x="\, for=203.0.113.7;proto="https""#, "203.0.113.7"),
    ("for=198.51.100.1;x=\u{600},for=203.0.113.7", "203.0.113.7"),
    ("x=\"\"\u{301};for=198.51.100.1,for=203.0.113.7", "203.0.113.7"),
    // Nobody but proxies.
    ("for=10.0.0.3, for=10.0.0.2", "10.0.0.3"),
    // Told by nobody.
    ("", "10.0.0.1"), ("for=unknown", "10.0.0.1"), ("for=_hidden", "10.0.0.1"), ("proto=https", "10.0.0.1"),
    ("for=198.51.100.1, proto=https", "10.0.0.1"), ("for=198.51.100.1, for=unknown, for=10.0.0.2", "10.0.0.2"),
    ("for=1;for=2", "10.0.0.1"), ("for=203.0.113.7;for=203.0.113.8", "10.0.0.1"), ("for=203.0.113.999", "10.0.0.1"),
    (#"for="203.0.113.7"#, "10.0.0.1"), ("for=[2001:db8::7", "10.0.0.1"), (",", "10.0.0.1"), ("for", "10.0.0.1"),
  ])
  func `say for whom they ask`(_ header: String, _ client: String) throws {
    let proxies = try #require(TrustedProxies("10.0.0.0/8"))
    #expect(proxies.client(of: "10.0.0.1", forwarded: header) == client)
  }

  @Test func `are the only ones that are believed`() throws {
    #expect(TrustedProxies().client(of: "10.0.0.1", forwarded: "for=203.0.113.7") == "10.0.0.1")
    let proxies = try #require(TrustedProxies("10.0.0.0/8"))
    #expect(proxies.client(of: "192.0.2.1", forwarded: "for=203.0.113.7") == "192.0.2.1")
    #expect(proxies.client(of: "10.0.0.1", forwarded: nil) == "10.0.0.1")
  }
}
