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
}
