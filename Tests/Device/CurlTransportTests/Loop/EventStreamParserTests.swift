import CurlKit
import Testing

@Suite struct `The event stream` {
  private func parse(_ pieces: [[UInt8]], maximumBytes: Int = 1000) throws -> [EventStreamParser.Item] {
    var parser = EventStreamParser(maximumBytes: maximumBytes)
    return try pieces.flatMap { try parser.append($0) }
  }

  private static let text = """
    \u{FEFF}: heartbeat

    event: change
    data: {}

    data
    data:  two
    id: 7
    retry: 1
    retry: -1
    retry:
    retry: 99999999999999999999
    unknown: x

    event: no data

    data: last

    data: never ended
    """

  private static let items: [EventStreamParser.Item] = [
    .comment, .event(name: "change", data: "{}"), .retry(milliseconds: 1), .retry(milliseconds: .max),
    .event(name: "message", data: "\n two"), .event(name: "message", data: "last"),
  ]

  @Test(arguments: ["\n", "\r", "\r\n"])
  func `cut at any byte, with any line break, it parses to the same events`(lineBreak: String) throws {
    let bytes = Array(
      Self.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineBreak).utf8)
    for cut in 0...bytes.count {
      #expect(try parse([Array(bytes[..<cut]), Array(bytes[cut...])]) == Self.items)
    }
    #expect(try parse(bytes.map { [$0] }) == Self.items)
  }

  @Test func `an event is delivered with its last byte`() throws {
    var parser = EventStreamParser(maximumBytes: 100)
    #expect(try parser.append(Array("event: change\rdata: {}\r".utf8)).isEmpty)
    #expect(try parser.append(Array("\r".utf8)) == [.event(name: "change", data: "{}")])
  }

  @Test func `lines and events are bounded`() throws {
    let line = Array(repeating: UInt8(ascii: "a"), count: 101)
    #expect(try parse([Array(line.prefix(100))], maximumBytes: 100).isEmpty)
    #expect(throws: EventStreamParser.TooLong()) { try parse([line], maximumBytes: 100) }
    #expect(throws: EventStreamParser.TooLong()) {
      try parse(Array(repeating: Array("data: xxxxxxxx\n".utf8), count: 100), maximumBytes: 100)
    }
  }
}
