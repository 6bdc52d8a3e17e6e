import Testing

@testable import DeviceCore

@Suite struct `What gpsd reports` {
  private func place(_ text: String) -> FoundPlace? {
    var report = PlaceReport()
    return report.take(text.utf8)
  }

  private static func fix(_ members: String) -> String { "{\"class\":\"TPV\",\(members)}\r\n" }

  @Test func `is a place where it has a fix, with its accuracy`() {
    let found = place(
      #"{"class":"VERSION","release":"3.22"}"# + "\r\n"
        + Self.fix(#""mode":3,"time":"2026-11-26T12:00:00.000Z","lat":46.5763,"lon":7.9905,"eph":7.5,"epx":3.1"#))
    #expect(found?.location.latitude == 46.5763 && found?.location.longitude == 7.9905)
    #expect(found?.accuracyMeters == 7.5)
  }

  @Test func `has the greater of two errors where one of both is not told`() {
    #expect(place(Self.fix(#""mode":2,"lat":1,"lon":2,"epx":3.1,"epy":9.2"#))?.accuracyMeters == 9.2)
    #expect(place(Self.fix(#""mode":2,"lat":1,"lon":2"#)) != nil)
    #expect(place(Self.fix(#""mode":2,"lat":1,"lon":2"#))?.accuracyMeters == nil)
  }

  @Test(arguments: [
    #""mode":0,"lat":1,"lon":2"#, #""mode":1,"lat":1,"lon":2"#, #""lat":1,"lon":2"#, #""mode":3,"lat":1"#,
    #""mode":3,"lat":91,"lon":2"#, #""mode":3,"lat":1,"lon":-180.5"#, #""mode":3,"lat":NaN,"lon":2"#,
    #""mode":3,"lat":1e999,"lon":2"#, #""mode":3,"lat":"1","lon":2"#, #""mode":"3","lat":1,"lon":2"#,
  ])
  func `is no place without a fix, or anywhere but on Earth`(members: String) {
    #expect(place(Self.fix(members)) == nil)
    #expect(place(Self.fix(members) + Self.fix(#""mode":3,"lat":1,"lon":2"#)) != nil, "the next line counts")
  }

  @Test(arguments: ["-1", "1e300", "\"7\"", "null"])
  func `has no accuracy that says nothing`(error: String) throws {
    let found = try #require(place(Self.fix("\"mode\":3,\"lat\":1,\"lon\":2,\"eph\":\(error)")))
    #expect(found.accuracyMeters == nil)
  }

  @Test func `is read in pieces of any size`() {
    var report = PlaceReport()
    let bytes = Array(Self.fix(#""mode":3,"lat":1,"lon":2"#).utf8)
    for byte in bytes.dropLast() { #expect(report.take([byte]) == nil) }
    #expect(report.take([bytes.last ?? 0]) != nil)
  }

  @Test func `a line without an end is held only in part, and skipped`() {
    var report = PlaceReport()
    let endless = [UInt8](repeating: UInt8(ascii: "["), count: 200_000)
    #expect(report.take(endless) == nil)
    #expect(report.take([UInt8(ascii: "\n")] + Array(Self.fix(#""mode":3,"lat":1,"lon":2"#).utf8)) != nil)
  }

  @Test func `no more than a megabyte of it is read`() {
    var report = PlaceReport()
    let line = Array((String(repeating: "x", count: 999) + "\n").utf8)
    for _ in 0..<1100 { #expect(report.take(line) == nil) }
    #expect(report.isFull)
    #expect(report.take(Self.fix(#""mode":3,"lat":1,"lon":2"#).utf8) == nil)
  }
}
