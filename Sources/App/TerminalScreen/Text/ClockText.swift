package import Foundation

/// Local times, as a person at this terminal reads them. The offset from UTC is shown only for times that have another one than now.
package struct ClockText: Sendable {
  private let now: Date
  private let calendar: Calendar

  /// `now` is what counts as today.
  package init(now: Date, timeZone: TimeZone = .current) {
    self.now = now
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  /// `12:01:03`, with the date before it if that is not today.
  func time(_ date: Date) -> String {
    let parts = parts(date)
    return dayUnlessToday(date) + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))" + offset(date)
  }

  /// `12:01`, with the date before it if that is not today.
  func short(_ date: Date) -> String {
    let parts = parts(date)
    return dayUnlessToday(date) + "\(two(parts.hour)):\(two(parts.minute))"
  }

  /// `2026-11-21 12:01`, or with its seconds.
  func full(_ date: Date, showsSeconds: Bool = false) -> String {
    "\(day(date)) \(clock(date, showsSeconds))" + offset(date)
  }

  /// The end of a period that began at `start`: `12:20`, or with its seconds, with the date if that is another one.
  func end(_ end: Date, of start: Date, showsSeconds: Bool = false) -> String {
    day(end) == day(start) ? clock(end, showsSeconds) : full(end, showsSeconds: showsSeconds)
  }

  /// Whether both have the same day, hour and minute.
  func isSameMinute(_ date: Date, _ other: Date) -> Bool { full(date) == full(other) }

  private func clock(_ date: Date, _ showsSeconds: Bool) -> String {
    let parts = parts(date)
    return "\(two(parts.hour)):\(two(parts.minute))" + (showsSeconds ? ":\(two(parts.second))" : "")
  }

  /// `12:34`, from one hour on `1:02:03`, from one day on `3 d 1:02:03`.
  static func duration(_ interval: TimeInterval) -> String {
    let seconds = Int(max(0, min(interval, 1e9)))
    let clock = "\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    switch seconds {
    case ..<3600: return clock
    case ..<86_400: return "\(seconds / 3600):\(clock)"
    default: return "\(seconds / 86_400) d \(seconds / 3600 % 24):\(clock)"
    }
  }

  /// ` +02:00` if it differs from the offset of now, else empty.
  private func offset(_ date: Date) -> String {
    let seconds = calendar.timeZone.secondsFromGMT(for: date)
    guard seconds != calendar.timeZone.secondsFromGMT(for: now) else { return "" }
    let minutes = abs(seconds) / 60
    return (seconds < 0 ? " -" : " +") + "\(two(minutes / 60)):\(two(minutes % 60))"
  }

  private func dayUnlessToday(_ date: Date) -> String { day(date) == day(now) ? "" : day(date) + " " }

  private func day(_ date: Date) -> String {
    let parts = parts(date)
    return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
  }

  private func parts(_ date: Date) -> DateComponents {
    calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
  }
}

private func two(_ number: Int?) -> String {
  let number = number ?? 0
  return number < 10 ? "0\(number)" : String(number)
}
