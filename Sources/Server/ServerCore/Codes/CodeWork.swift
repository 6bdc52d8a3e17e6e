import Model

/// How much work a device does for a code beyond the limits of a number, or of all who ask.
///
/// Codes for work have an hourly allowance for each. The first ones take 2^19 hashes each: about a second of an old phone, an eighth of a second of a
/// laptop. Each time the used part of the allowance doubles, a code takes twice as many; the last ones take 2^25, about a minute of that phone.
/// A graphics card needs milliseconds for that: the allowance, not the work, bounds what codes cost the operator.
struct CodeWork: Sendable {
  /// In each proof.
  static let nonceCount = 8
  /// How often the work doubles.
  static let doublings = 6

  let allowance: RateLimit
  private let leastZeroBits: Int

  init(allowance: RateLimit, zeroBits: Int) {
    self.allowance = allowance
    leastZeroBits = zeroBits
  }

  /// Of each nonce of a proof; nil where the allowance is used up.
  func zeroBits(_ facts: RequestFacts, at now: Timestamp) -> Int? {
    let counts = facts.rateCounts[allowance.need(at: now)] ?? []
    guard allowance.waitMilliseconds(counts, at: now) == nil else { return nil }
    return leastZeroBits + Self.doublings(used: allowance.total(counts), of: allowance.limit)
  }

  /// 0 of an unused allowance, 1 where 1/63 of it is used, 2 with 3/63, 3 with 7/63, and 6 only with all of it. Of three codes: 0, 4, 5.
  static func doublings(used: Int, of limit: Int) -> Int {
    let shares = (1 << doublings) - 1
    let used = 1 + shares * max(0, used) / max(1, limit)
    return min(doublings, Int.bitWidth - 1 - used.leadingZeroBitCount)
  }
}
