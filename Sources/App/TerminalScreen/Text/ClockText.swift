package import FoundationEssentials
package import Glibc

/// Local times, as a person at this terminal reads them. The offset from UTC is shown only for times that have another one than now.
package struct ClockText: Sendable {
  private let now: Date
  private let localTime: @Sendable (time_t) -> tm

  /// `now` is what counts as today. `localTime` breaks seconds since 1970 down into a date, a time and its offset from UTC.
  package init(now: Date, localTime: @escaping @Sendable (time_t) -> tm = ClockText.localTime) {
    self.now = now
    self.localTime = localTime
  }

  /// As this machine's zone has it: TZ, or else /etc/localtime (localtime_r(3)).
  @Sendable package static func localTime(_ seconds: time_t) -> tm {
    var seconds = seconds
    var parts = tm()
    _ = localtime_r(&seconds, &parts)
    return parts
  }

  /// `12:01:03`, with the date before it if that is not today.
  func time(_ date: Date) -> String {
    let parts = parts(date)
    return dayUnlessToday(date) + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))" + offset(date)
  }

  /// `12:01`, with the date before it if that is not today.
  func short(_ date: Date) -> String {
    let parts = parts(date)
    return dayUnlessToday(date) + "\(two(parts.tm_hour)):\(two(parts.tm_min))"
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
    return "\(two(parts.tm_hour)):\(two(parts.tm_min))" + (showsSeconds ? ":\(two(parts.tm_sec))" : "")
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
    let seconds = parts(date).tm_gmtoff
    guard seconds != parts(now).tm_gmtoff else { return "" }
    let minutes = abs(seconds) / 60
    return (seconds < 0 ? " -" : " +") + "\(two(minutes / 60)):\(two(minutes % 60))"
  }

  private func dayUnlessToday(_ date: Date) -> String { day(date) == day(now) ? "" : day(date) + " " }

  private func day(_ date: Date) -> String {
    let parts = parts(date)
    return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  }

  /// Rounds down, also before 1970. Years before 1 and after 9999 become these.
  private func parts(_ date: Date) -> tm {
    localTime(time_t(max(-62_135_596_800, min(253_402_300_799, date.timeIntervalSince1970)).rounded(.down)))
  }
}

private func two(_ number: some BinaryInteger) -> String { number < 10 ? "0\(number)" : "\(number)" }
