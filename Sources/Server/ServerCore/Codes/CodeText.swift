import Model
import Secrets

/// A one-time code and its message. The store has neither: both are derived when they are needed.
enum CodeText {
  /// The code of a verification: nobody computes it without the server's key, and each attempt to send it has the same.
  static func code(of verification: String, _ keys: ServerKeys) -> String {
    var stream = Entropy(seed: keys.hash(Array(verification.utf8), for: .codeDigits))
    let digits = String(stream.number(below: 1_000_000))
    return String(repeating: "0", count: OneTimeCode.digitCount - digits.utf8.count) + digits
  }

  /// The whole message for the person, as it is sent at `now`.
  static func message(_ code: String, expiresAt: Timestamp, at now: Timestamp) -> String {
    let minutes = max(1, (expiresAt.milliseconds(since: now) + 30_000) / 60_000)
    let lifetime = minutes == 1 ? "1 minute" : "\(minutes) minutes"
    return "Your LifeSignal code is \(code). It works once, for \(lifetime). Tell it to nobody."
  }
}
