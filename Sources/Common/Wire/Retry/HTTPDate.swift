import Model

/// Parses an HTTP date (RFC 9110 §5.6.7) in any of its three forms.
///
/// | form | example |
/// |---|---|
/// | IMF-fixdate | `Sun, 06 Nov 1994 08:49:37 GMT` |
/// | RFC 850 | `Sunday, 06-Nov-94 08:49:37 GMT` |
/// | asctime | `Sun Nov  6 08:49:37 1994` |
enum HTTPDate {
  /// Nil for any other text. `now` determines the century of a two-digit year: at most 50 years ahead.
  static func parse(_ text: String, now: Timestamp) -> Timestamp? {
    guard text.utf8.count <= 40 else { return nil }
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    switch (words.count, words.last) {
    case (6, "GMT"): return time(day: words[1], month: words[2], year: words[3], clock: words[4])
    case (4, "GMT"): return shortYearTime(words[1], clock: words[2], now: now)
    case (5, _): return time(day: words[2], month: words[1], year: words[4], clock: words[3])
    default: return nil
    }
  }

  /// - Parameter date: for example `06-Nov-94`.
  private static func shortYearTime(_ date: String, clock: String, now: Timestamp) -> Timestamp? {
    let parts = date.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard
      parts.count == 3, parts[2].utf8.count == 2, let shortYear = Int(parts[2]),
      let thisYear = Int(now.description.prefix(4))
    else { return nil }
    let guess = thisYear - thisYear % 100 + shortYear
    let year = guess > thisYear + 50 ? guess - 100 : guess
    return time(day: parts[0], month: parts[1], year: padded(year, width: 4), clock: clock)
  }

  /// Joins the parts for `Timestamp`, which validates them.
  private static func time(day text: String, month: String, year: String, clock: String) -> Timestamp? {
    guard let number = months.firstIndex(of: month), let day = UInt8(text), !text.hasPrefix("+") else { return nil }
    return Timestamp("\(year)-\(padded(number + 1, width: 2))-\(padded(Int(day), width: 2))T\(clock)Z")
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func padded(_ number: Int, width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
