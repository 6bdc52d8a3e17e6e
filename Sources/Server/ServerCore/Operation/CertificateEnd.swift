package import Model

/// When the server's certificate expires, for its operator.
package struct CertificateEnd: Sendable, Hashable {
  /// A renewal is overdue then.
  private static let soonMilliseconds: Int64 = 14 * day
  private static let day: Int64 = 86_400_000

  package let at: Timestamp

  package init(at time: Timestamp) { at = time }

  package func isOver(at now: Timestamp) -> Bool { now >= at }

  package func isSoon(at now: Timestamp) -> Bool { at.milliseconds(since: now) < Self.soonMilliseconds }

  /// `in 12 days`, `in 7 h`; nil where it is over.
  func distance(from now: Timestamp) -> String? {
    guard !isOver(at: now) else { return nil }
    let milliseconds = at.milliseconds(since: now)
    let days = milliseconds / Self.day
    return days > 1 ? "in \(days) days" : "in \(milliseconds / 3_600_000) h"
  }
}
