package import Model

/// Reads the `Retry-After` header (RFC 9110 §10.2.3): seconds, or a date in any of the three forms of HTTP.
package enum RetryAfter {
  /// The delay in milliseconds, not negative and not bounded; nil for an invalid value, which counts as no header.
  ///
  /// - Parameter now: the server's time: its `Date` header, or the best estimate.
  package static func milliseconds(_ value: String, now: Timestamp) -> Int64? {
    let text = value.trimmingSpaces()
    if let seconds = seconds(text) { return seconds }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    return max(0, date.milliseconds(since: now))
  }

  /// The delay that an answer's headers ask for. A valid `Date` header is used as the server's time.
  package static func milliseconds(headers: [String: String], now: Timestamp) -> Int64? {
    guard let value = headers["retry-after"] else { return nil }
    let date = headers["date"].flatMap { HTTPDate.parse($0.trimmingSpaces(), now: now) }
    return milliseconds(value, now: date ?? now)
  }

  /// `delay-seconds = 1*DIGIT`. Saturates on overflow.
  private static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else {
      return nil
    }
    guard let seconds = Int64(text) else { return .max }
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : milliseconds
  }
}

extension String {
  /// Without spaces and tabs at either end.
  func trimmingSpaces() -> String {
    var slice = self[...]
    while let first = slice.first, first == " " || first == "\t" { slice.removeFirst() }
    while let last = slice.last, last == " " || last == "\t" { slice.removeLast() }
    return String(slice)
  }
}
