import Model
import Testing

@Suite struct `Timestamps` {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (1_795_278_000_123, "2026-11-21T16:20:00.123Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
  ])
  func `milliseconds and text agree both ways`(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).description == text)
    #expect(Timestamp(text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    ("2026-11-21T18:20:00+02:00", "2026-11-21T16:20:00.000Z"),
    ("2026-11-21t16:20:00.1z", "2026-11-21T16:20:00.100Z"),
    ("2026-11-21T16:20:00.123456789Z", "2026-11-21T16:20:00.123Z"),
    ("2026-11-21T16:20:00.01299999999999999999999999Z", "2026-11-21T16:20:00.012Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ("2026-01-01T00:30:00-01:30", "2026-01-01T02:00:00.000Z"),
  ])
  func `other forms of RFC 3339 are understood`(given: String, canonical: String) {
    #expect(Timestamp(given)?.description == canonical)
  }

  @Test(arguments: [
    "", "now", "2026-11-21", "2026-11-21T16:20Z", "2026-11-21T16:20:00", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
    "2026-11-21T24:00:00Z", "2026-11-21T16:20:00.Z", "2026-11-21T16:20:00Zjunk",
    "+026-11-21T16:20:00Z",
  ])
  func `anything else is refused`(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test(arguments: ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z"])
  func `a time that could not be written back is refused`(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test func `every eleventh day of eight centuries survives a round trip`() {
    for day in stride(from: Int64(-146_097), through: 146_097, by: 11) {
      let timestamp = Timestamp(milliseconds: day * 86_400_000)
      #expect(Timestamp(timestamp.description) == timestamp)
    }
  }

  @Test func `arithmetic saturates at the limits`() {
    let last = Timestamp(milliseconds: .max)
    #expect(last.advanced(byMilliseconds: 1) == last)
    #expect(Timestamp(milliseconds: .min).milliseconds(since: last) == .min)
    #expect(last.description == "9999-12-31T23:59:59.999Z")
  }
}
