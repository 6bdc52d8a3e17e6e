import Model
import Secrets
import Wire

/// Counts the links that open no page: somebody may be guessing.
///
/// A link that opens a page counts for nothing and is never held back, as many responders may share an address with whoever guesses. So the
/// limit says "stop" to a program, and bounds what its guesses write: beyond it nothing is counted, whatever the number of addresses.
struct PageMisses {
  static let perAddressAndHour = 100
  static let inTotalPerHour = 6000
  private static let hourMilliseconds: Int64 = 3_600_000

  private let limits: [RateLimit]

  init(from address: String, _ keys: ServerKeys) {
    func limit(_ subject: String, _ count: Int) -> RateLimit {
      RateLimit(
        key: keys.hash(Array("page\0\(subject)".utf8), for: .rateCount), limit: count,
        windowMilliseconds: Self.hourMilliseconds)
    }
    limits = [
      limit(RemoteAddress.subject(address), Self.perAddressAndHour), limit("", Self.inTotalPerHour),
    ]
  }

  /// Counts one more. Returns how long until there is room for one; nil where there was.
  func count(in work: inout RequestWork) -> Int64? {
    let waits = limits.compactMap { work.waitMilliseconds(for: $0) }
    guard waits.isEmpty else { return waits.max() }
    work.writes.rateCounts += limits.map { $0.step(at: work.now) }
    return nil
  }
}
