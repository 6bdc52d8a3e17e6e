import ServerCore

/// Until when no other process, nor a later claim of this one, takes what was claimed.
///
/// The store may have taken long to commit the claim, or the process may have stood still since.
struct DeliveryLease: Sendable, Hashable {
  let claimedAt: ClockReading
  let milliseconds: Int64

  /// Whether an attempt of this length that starts now has ended by then.
  func holds(forMilliseconds length: Int, at now: ClockReading) -> Bool {
    now.milliseconds(since: claimedAt) + Int64(length) <= milliseconds
  }
}

/// An attempt to start, and its lease.
struct LeasedAttempt: Sendable, Hashable {
  let attempt: DeliveryAttempt
  let lease: DeliveryLease
}

/// Which attempts start although their claims were long ago.
struct DeliveryLeases {
  private static let limit = 10_000

  /// Messages that were given back because an attempt would have outlasted its lease.
  private var givenBack: Set<DeliveryID> = []

  /// False where another attempt of the message may begin before this one would have ended. Where that is so for the second time it is made
  /// all the same: a store that is always so slow keeps no message from being sent.
  mutating func mayStart(_ leased: LeasedAttempt, at now: ClockReading) -> Bool {
    let id = leased.attempt.id
    let wasGivenBack = givenBack.remove(id) != nil
    guard !wasGivenBack, !leased.lease.holds(forMilliseconds: leased.attempt.timeoutMilliseconds, at: now) else {
      return true
    }
    // Another process may have taken those that are left.
    if givenBack.count >= Self.limit { givenBack = [] }
    givenBack.insert(id)
    return false
  }
}
