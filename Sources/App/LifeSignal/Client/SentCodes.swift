import AppModel
import SystemKit

/// The codes that are on their way to phones, by the ids of their verifications.
///
/// It knows what was sent to which number, never the code. Ages are counted by a clock that is never set, for the device's
/// own may be wrong by hours before it has spoken to the server.
final class SentCodes: Sendable {
  private struct Entry {
    let code: SentCode
    let sentAtMilliseconds: Int64
  }

  /// Longer than any code works: whether one has expired is for the server to say.
  static let lifetimeMilliseconds: Int64 = 15 * 60_000
  /// How long the server sends no other code to a number.
  static let resendDelayMilliseconds: Int64 = 60_000

  private let entries = Lock<[String: Entry]>([:])

  /// - Parameter now: by the monotonic clock, as in the other functions.
  func add(_ code: SentCode, at now: Int64) {
    entries.withLock { entries in
      Self.removeOld(&entries, now)
      entries[code.id] = Entry(code: code, sentAtMilliseconds: now)
    }
  }

  /// What was sent under this id; nil where that is unknown or too long ago.
  func code(id: String, at now: Int64) -> SentCode? {
    entries.withLock { entries in
      Self.removeOld(&entries, now)
      return entries[id]?.code
    }
  }

  /// The code that was sent to `phone` so short a while ago that the server sends no other yet.
  func underWay(to phone: String, at now: Int64) -> SentCode? {
    entries.withLock { entries in
      Self.removeOld(&entries, now)
      let sent = entries.values.filter { $0.code.phone == phone }.max { $0.sentAtMilliseconds < $1.sentAtMilliseconds }
      guard let sent, now - sent.sentAtMilliseconds < Self.resendDelayMilliseconds else { return nil }
      var code = sent.code
      code.secondsUntilResend = Self.secondsUntilResend(sent, now)
      return code
    }
  }

  /// For how many seconds more, rounded up, the server sends no other code than this one; nil where it is not known here.
  func secondsUntilResend(id: String, at now: Int64) -> Int? {
    entries.withLock { $0[id].map { Self.secondsUntilResend($0, now) } }
  }

  private static func secondsUntilResend(_ entry: Entry, _ now: Int64) -> Int {
    let milliseconds = max(0, resendDelayMilliseconds - (now - entry.sentAtMilliseconds))
    return Int((milliseconds + 999) / 1000)
  }

  func remove(id: String) { entries.withLock { $0[id] = nil } }

  var count: Int { entries.withLock { $0.count } }

  private static func removeOld(_ entries: inout [String: Entry], _ now: Int64) {
    entries = entries.filter { now - $0.value.sentAtMilliseconds < lifetimeMilliseconds }
  }
}
