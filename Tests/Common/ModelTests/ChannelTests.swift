import Model
import Testing

@Suite struct `Channels as a store keeps them` {
  @Test func `are read one a line, without empty lines`() throws {
    let channels = try [Channel](lines: "https://a.example/hook\n\nNTFY://b.example/topic\nmailto:c@d.example\n")
    #expect(channels.map(\.url) == ["https://a.example/hook", "NTFY://b.example/topic", "mailto:c@d.example"])
    #expect(channels.map(\.kind) == [.webhook, .ntfy, .mail])
    #expect(try [Channel](lines: "") == [])
  }

  @Test(arguments: ["https://a.example\nno channel", "https://a.example\r\nhttps://b.example"])
  func `are refused where one is none`(lines: String) {
    #expect(throws: InvalidInput.self) { try [Channel](lines: lines) }
  }

  @Test(arguments: [
    "https:", "https:/", "https:/a.example", "https://", "https:///a", "https://:1", "https://a@b.example",
  ])
  func `need a host`(url: String) {
    #expect(throws: InvalidInput.self) { try Channel(url) }
  }

  @Test(arguments: [
    "https://responder.example:99999/hook", "https://responder.example:0/",
    "https://responder.example%00x/hook",
    "https://a\\b.example/", "https://[::1/", "https://[zz::]/", "https://[]/", "https://[::1]x/",
    "https://.example/",
    "https://a.example:80x/", "https://a.example:+1/", "ntfy://a.example:x/topic",
  ])
  func `need a host that can be asked`(url: String) throws {
    #expect(throws: InvalidInput.self) { try Channel(url) }
    let kept = try Channel(foreign: url)
    #expect(try Channel(received: url) == kept)
    #expect(
      kept.kind == .other && kept.isMalformed && kept.url == url, "what is stored can be read")
  }

  @Test(arguments: [
    "https://a.example:443/x", "https://[2001:db8::1]:8443/hook", "https://[::ffff:192.0.2.1]/",
    "https://a_b.example",
    "http://127.0.0.1:8080/?x=%00", "https://localhost", "https://xn--bcher-kva.example./",
    "https://a.example:65535",
  ])
  func `may name it in each usual form`(url: String) throws {
    #expect(try Channel(url).kind == .webhook)
  }

  @Test func `of a newer kind are not malformed`() throws {
    #expect(try !Channel(foreign: "matrix:room").isMalformed && !Channel.inbox.isMalformed)
  }
}
