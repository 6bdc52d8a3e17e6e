import Glibc
import Model

/// Times as a person here reads them: local, with the offset from UTC.
struct LocalTime {
  /// What counts as today.
  let now: Timestamp

  /// `12:01:03 +02:00`, with the date before it where that is not today.
  func text(_ time: Timestamp) -> String {
    let parts = Self.parts(time)
    return (Self.parts(now).day == parts.day ? "" : parts.day + " ") + parts.clock + " " + parts.offset
  }

  /// `2026-11-21 12:01:03 +02:00`.
  func full(_ time: Timestamp) -> String {
    let parts = Self.parts(time)
    return "\(parts.day) \(parts.clock) \(parts.offset)"
  }

  /// `12:01`, for a sentence that compares two times; with the date where that is not today.
  func short(_ time: Timestamp) -> String {
    let parts = Self.parts(time)
    return (Self.parts(now).day == parts.day ? "" : parts.day + " ") + String(parts.clock.prefix(5))
  }

  /// Minutes east of UTC here, at `time`.
  static func offsetMinutes(at time: Timestamp) -> Int { broken(time).tm_gmtoff / 60 }

  /// `45 s`, `12 min`, `3 h 20 min`, `2 days`.
  static func duration(milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds / 1000)
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
    default: return "\(seconds / 86_400) days"
    }
  }

  private static func parts(_ time: Timestamp) -> (day: String, clock: String, offset: String) {
    let local = broken(time)
    let day = "\(local.tm_year + 1900)-\(two(local.tm_mon + 1))-\(two(local.tm_mday))"
    let clock = "\(two(local.tm_hour)):\(two(local.tm_min)):\(two(local.tm_sec))"
    let minutes = Int32(local.tm_gmtoff / 60)
    let offset = (minutes < 0 ? "-" : "+") + "\(two(abs(minutes) / 60)):\(two(abs(minutes) % 60))"
    return (day, clock, offset)
  }

  private static func broken(_ time: Timestamp) -> tm {
    // Rounds down, also before the epoch, and for every time that a damaged store may hold.
    var seconds = time_t(time.milliseconds / 1000 - (time.milliseconds % 1000 < 0 ? 1 : 0))
    var local = tm()
    // It fails only for years that do not fit: then the epoch stands, rather than a crash.
    if localtime_r(&seconds, &local) == nil { local = tm() }
    return local
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : String(number) }
}
