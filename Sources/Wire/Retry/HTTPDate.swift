import Model

/// Reads a date as HTTP writes it (RFC 9110 §5.6.7), in any of its three forms.
///
/// | form | example |
/// |---|---|
/// | IMF-fixdate | `Sun, 06 Nov 1994 08:49:37 GMT` |
/// | RFC 850 | `Sunday, 06-Nov-94 08:49:37 GMT` |
/// | asctime | `Sun Nov  6 08:49:37 1994` |
enum HTTPDate {
  /// Nil for anything else. `now` decides the century of a two-digit year: never more than 50 years ahead.
  static func parse(_ text: String, now: Timestamp) -> Timestamp? {
    guard text.utf8.count <= 40 else { return nil }
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
    switch (words.count, words.last) {
    case (6, "GMT"): return sixWords(words, now: now)
    case (5, _): return time(day: words[2], month: words[1], year: words[4], clock: words[3])
    default: return nil
    }
  }

  private static func sixWords(_ words: [String], now: Timestamp) -> Timestamp? {
    let year = words[3]
    guard year.utf8.count == 2 else { return time(day: words[1], month: words[2], year: year, clock: words[4]) }
    guard let shortYear = Int(year), let thisYear = Int(now.description.prefix(4)) else { return nil }
    let guess = thisYear - thisYear % 100 + shortYear
    let nearest = guess > thisYear + 50 ? guess - 100 : guess
    return time(day: words[1], month: words[2], year: padded(nearest, width: 4), clock: words[4])
  }

  /// The parts put into the form that `Timestamp` reads, which refuses what is no day or no time.
  private static func time(day: String, month: String, year: String, clock: String) -> Timestamp? {
    guard let number = months.firstIndex(of: month), let day = Int(day) else { return nil }
    return Timestamp("\(year)-\(padded(number + 1, width: 2))-\(padded(day, width: 2))T\(clock)Z")
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func padded(_ number: Int, width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
