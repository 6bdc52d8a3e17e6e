import Model
import SyncEngine
import Testing
import Wire

@Suite struct RetryAfterTests {
  /// 1994-11-06T08:49:37Z, the date of the examples in RFC 9110.
  static let example = Timestamp(milliseconds: 784_111_777_000)
  static let minuteBefore = example.advanced(byMilliseconds: -60_000)

  @Test(
    arguments: [
      ("120", 120_000), ("0", 0), (" 7 ", 7000), ("\t7", 7000), ("1000000000000", 1_000_000_000_000_000),
      ("99999999999999999999999999", .max), ("9223372036854775807", .max),
    ] as [(String, Int64)])
  func `any number of seconds is read`(value: String, milliseconds: Int64) {
    #expect(RetryAfter.milliseconds(value, now: Self.example) == milliseconds)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `a date is read in all three forms`(value: String) {
    #expect(RetryAfter.milliseconds(value, now: Self.minuteBefore) == 60_000)
    #expect(RetryAfter.milliseconds(value, now: Self.example.advanced(byMilliseconds: 1)) == 0)
  }

  @Test(arguments: [
    "", " ", "-1", "+5", "1.5", "1e12", "soon", "0x10", "١٢", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 28:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 PST",
    "Sun Nov 6 08:49:37", ", , , , ,", String(repeating: "9", count: 100_000) + "x",
    "Sun, 06 Nov 1994 08:49:37 GMT GMT", "Sun, -6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-9x 08:49:37 GMT",
  ])
  func `an invalid value counts as missing`(value: String) {
    #expect(RetryAfter.milliseconds(value, now: Self.example) == nil)
  }

  @Test func `a two-digit year is never more than fifty years ahead`() throws {
    let now = try #require(Timestamp("2026-11-21T00:00:00Z"))
    let year = try #require(RetryAfter.milliseconds("Sunday, 21-Nov-27 00:00:00 GMT", now: now))
    #expect(year == 365 * 86_400_000)
    #expect(RetryAfter.milliseconds("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == 0)
  }

  @Test func `a date is relative to the Date header of the same answer`() {
    let headers = ["retry-after": "Sun, 06 Nov 1994 08:49:37 GMT", "date": "Sun, 06 Nov 1994 08:49:07 GMT"]
    let wrong = Timestamp(milliseconds: 0)
    #expect(RetryAfter.milliseconds(headers: headers, now: wrong) == 30_000)
    #expect(RetryAfter.milliseconds(headers: [:], now: wrong) == nil)
  }
}

@Suite struct RetryBudgetTests {
  @Test func `a burst of retries, then one a minute`() {
    var budget = RetryBudget.routine
    #expect(takeAll(&budget, at: 0) == 10)
    #expect(budget.nextTokenMilliseconds(now: 0) == 60_000)
    #expect(takeAll(&budget, at: 59_000) == 0)
    #expect(takeAll(&budget, at: 60_000) == 1)
  }

  @Test func `ten first attempts earn one retry`() {
    var budget = RetryBudget.routine
    _ = takeAll(&budget, at: 0)
    for _ in 0..<9 { budget.earn() }
    #expect(takeAll(&budget, at: 0) == 0)
    budget.earn()
    #expect(takeAll(&budget, at: 0) == 1)
  }

  @Test func `a budget never exceeds its burst, and a stopped clock adds nothing`() {
    var budget = RetryBudget.emergency
    #expect(takeAll(&budget, at: 0) == 30)
    #expect(takeAll(&budget, at: .max / 2) == 30)
    #expect(takeAll(&budget, at: .max / 2) == 0)
  }

  private func takeAll(_ budget: inout RetryBudget, at now: Int64) -> Int {
    var taken = 0
    while budget.take(atMonotonicMilliseconds: now) { taken += 1 }
    return taken
  }
}
