import Foundation
import Glibc

@testable import TerminalScreen

extension ClockText {
  /// A clock in `zone`, whatever the zone of this machine.
  init(now: Date, zone: TimeZone) {
    self.init(now: now) { seconds in
      let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds)))
      var shifted = seconds + offset
      var parts = tm()
      _ = gmtime_r(&shifted, &parts)
      parts.tm_gmtoff = offset
      return parts
    }
  }
}
