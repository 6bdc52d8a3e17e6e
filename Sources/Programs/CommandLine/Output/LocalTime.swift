import DeviceCore
import Glibc
import Model
import Synchronization

/// Local times, as a person here reads them. The offset from UTC is shown only if it differs from that of the time shown before.
struct LocalTime: Sendable {
  /// The offset from UTC, in minutes, of the time that was shown last.
  final class ShownZone: Sendable {
    private let minutes: Atomic<Int>

    /// - Parameter minutes: the offset that counts as shown; nil to show the first one.
    init(minutes: Int? = nil) { self.minutes = Atomic(minutes ?? .min) }

    /// Whether `minutes` differs from what was shown before. Counts as shown from now on.
    func isNew(_ minutes: Int) -> Bool {
      self.minutes.exchange(minutes, ordering: .relaxed) != minutes
    }
  }

  /// What counts as today.
  let now: Timestamp
  private let zone: ShownZone

  /// A person knows the offset of now: it is shown only for other times that have another one.
  init(now: Timestamp) { self.init(now: now, zone: ShownZone(minutes: DeviceClock.utcOffsetMinutes(at: now))) }

  init(now: Timestamp, zone: ShownZone) {
    self.now = now
    self.zone = zone
  }

  /// `12:01:03`, with the date before it if that is not today, and the offset behind it if that is another one.
  func text(_ time: Timestamp) -> String {
    let parts = Self.parts(time)
    return (Self.parts(now).day == parts.day ? "" : parts.day + " ") + parts.clock + offset(time)
  }

  /// `2026-11-21 12:01:03`, with the offset behind it if that is another one.
  func full(_ time: Timestamp) -> String {
    let parts = Self.parts(time)
    return "\(parts.day) \(parts.clock)\(offset(time))"
  }

  /// `12:01`, for a sentence that compares two times; with the date if that is not today.
  func short(_ time: Timestamp) -> String {
    let parts = Self.parts(time)
    return (Self.parts(now).day == parts.day ? "" : parts.day + " ") + String(parts.clock.prefix(5))
  }

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

  /// ` +02:00` if it differs from the offset that was shown before, else empty.
  private func offset(_ time: Timestamp) -> String {
    let minutes = DeviceClock.utcOffsetMinutes(at: time)
    guard zone.isNew(minutes) else { return "" }
    let size = Int32(abs(minutes))
    return (minutes < 0 ? " -" : " +") + "\(Self.two(size / 60)):\(Self.two(size % 60))"
  }

  private static func parts(_ time: Timestamp) -> (day: String, clock: String) {
    let local = broken(time)
    let day = "\(Int(local.tm_year) + 1900)-\(two(local.tm_mon + 1))-\(two(local.tm_mday))"
    let clock = "\(two(local.tm_hour)):\(two(local.tm_min)):\(two(local.tm_sec))"
    return (day, clock)
  }

  /// The calendar's parts. It never fails: no number of milliseconds has a year beyond the 31 bits of a `tm`.
  private static func broken(_ time: Timestamp) -> tm {
    // Rounds down, also before the epoch.
    var seconds = time_t(time.milliseconds / 1000 - (time.milliseconds % 1000 < 0 ? 1 : 0))
    var local = tm()
    _ = localtime_r(&seconds, &local)
    return local
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : String(number) }
}
