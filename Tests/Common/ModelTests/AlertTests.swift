import Model
import Testing

@Suite struct `Alerts` {
  let alert = Alert(
    id: AlertID(versionSevenAt: Timestamp(milliseconds: 1), random: (1, 1)), startedAt: Timestamp(milliseconds: 1000))

  @Test func `the first end counts`() {
    var alert = alert
    #expect(alert.isActive)
    let changes = [2000, 3000].map { alert.end(at: Timestamp(milliseconds: $0)) }
    #expect(changes == [true, false])
    #expect(alert.endedAt == Timestamp(milliseconds: 2000))
    #expect(!alert.isActive)
  }

  @Test func `a message is trimmed, and an empty one is nil`() throws {
    #expect(try AlertMessage.validated("  help me \n") == "help me")
    #expect(try AlertMessage.validated(" \n\t ") == nil)
    #expect(try AlertMessage.validated(nil) == nil)
  }

  @Test func `a message has at most a thousand characters, whatever their bytes`() throws {
    #expect(try AlertMessage.validated(String(repeating: "é", count: 1000))?.count == 1000)
    #expect(throws: InvalidInput.self) { try AlertMessage.validated(String(repeating: "a", count: 1001)) }
    #expect(throws: InvalidInput.self) { try AlertMessage.validated("a\u{0}b") }
  }

  @Test(arguments: [(91.0, 0.0), (-90.01, 0.0), (0.0, 180.5), (.nan, 0.0), (0.0, -.infinity)])
  func `a location that is not on Earth is refused`(latitude: Double, longitude: Double) {
    #expect(throws: InvalidInput.self) { try Location(latitude: latitude, longitude: longitude) }
  }
}

@Suite struct `Contacts` {
  @Test func `a name is one line of one to a hundred characters`() throws {
    #expect(try details(name: "  Ana ").name == "Ana")
    for name in ["", "   ", String(repeating: "x", count: 101), "An\na"] {
      #expect(throws: InvalidInput.self) { try details(name: name) }
    }
  }

  @Test func `a name has something to see`() throws {
    for name in ["\u{200B}", "\u{200D}\u{2060} \u{FEFF}", "\u{3164}", "\u{2800}", "\u{202E}\u{AD}"] {
      #expect(throws: InvalidInput.self) { try ContactDetails.requireVisible(name) }
    }
    for name in ["Zo\u{308}e", "👩\u{200D}👩\u{200D}👧", "\u{200F}עדה", "."] { try ContactDetails.requireVisible(name) }
  }

  @Test(arguments: ["", "12025550123", "+1202555012a", "+123456", "+1234567890123456", "+ 12025550123"])
  func `a phone number has the shape of E.164`(phone: String) {
    #expect(throws: InvalidInput.self) { try details(phone: phone) }
  }

  @Test func `there are at most ten channels`() throws {
    let channel = try Channel("https://example.org/hook")
    #expect(throws: InvalidInput.self) { try details(channels: Array(repeating: channel, count: 11)) }
  }

  private func details(
    name: String = "Ana", phone: String = "+12025550123", channels: [Channel] = []
  ) throws -> ContactDetails {
    try ContactDetails(name: name, phone: phone, isResponder: true, isDependent: false, channels: channels)
  }
}

@Suite struct `Channels` {
  @Test(arguments: [
    ("https://example.org", Channel.Kind.webhook), ("https://example.org:8443/hook?a=b", .webhook),
    ("HTTPS://Example.org/x", .webhook), ("http://127.0.0.1:9000/hook", .webhook),
    ("ntfy://ntfy.example/ana-alerts", .ntfy), ("ntfy+http://127.0.0.1:9000/topic", .ntfy),
    ("mailto:ana@example.org", .mail), ("sms:+12025550123", .sms),
    ("tel:+12025550123", .voice), ("TEL:+12025550123", .voice),
  ])
  func `the documented forms are accepted`(url: String, kind: Channel.Kind) throws {
    #expect(try Channel(url).kind == kind)
  }

  @Test(arguments: [
    "", "example.org", "ftp://example.org/", "gopher://x", "file:///etc/passwd", "https://", "https:///path",
    "https://user:secret@example.org/", "https://example.org/a b", "https://exämple.org", "ntfy://host", "ntfy://host/",
    "ntfy://host/a/b", "mailto:ana", "mailto:@example.org", "mailto:a@b.c?bcc=d@e.f", "sms:12025550123", "sms:+",
    "sms:+12ab", "tel:+1 202", "tel:112", "tel:+12025550123;ext=7",
    "javascript:alert(1)", "https://:443/",
  ])
  func `anything else is refused`(url: String) {
    #expect(throws: InvalidInput.self) { try Channel(url) }
  }

  @Test func `channels without TLS count as plain`() throws {
    #expect(try Channel("http://127.0.0.1/").isPlain)
    #expect(try Channel("NTFY+HTTP://127.0.0.1/t").isPlain)
    #expect(try !Channel("https://example.org/").isPlain)
  }
}
