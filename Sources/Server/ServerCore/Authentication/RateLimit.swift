import Model

/// At most so many in any window of time, counted in the store so that a restart forgets nothing.
///
/// Small limits are exact. Above `exactLimit` the window is cut into sixty stretches that are counted together, so that the
/// store keeps at most 61 rows a key; then up to one stretch more of the past counts, never less.
struct RateLimit {
  static let exactLimit = 100

  /// A keyed hash: addresses and numbers do not stand in the table.
  let key: [UInt8]
  let limit: Int
  let windowMilliseconds: Int64

  private var stretchMilliseconds: Int64 { limit <= Self.exactLimit ? 1 : max(1, windowMilliseconds / 60) }

  /// How long until one more is allowed, at least 1; nil where it is allowed now.
  func waitMilliseconds(_ records: any AccountRecords, at now: Timestamp) throws(StorageError) -> Int64? {
    guard limit > 0 else { return windowMilliseconds }
    let oldest = now.advanced(byMilliseconds: 1 - reachMilliseconds)
    let counts = try records.rateCounts(key: key, within: oldest..<now.advanced(byMilliseconds: 1))
    var total = counts.reduce(0) { $0 + $1.count }
    for count in counts where total >= limit {
      total -= count.count
      if total < limit { return count.start.advanced(byMilliseconds: reachMilliseconds).milliseconds(since: now) }
    }
    return nil
  }

  func count(_ records: any AccountRecords, at now: Timestamp) throws(StorageError) {
    let start = Timestamp(milliseconds: now.milliseconds - now.milliseconds % stretchMilliseconds)
    let expiresAt = start.advanced(byMilliseconds: reachMilliseconds)
    try records.addToRateCount(key: key, start: start, expiresAt: expiresAt)
  }

  /// From the start of a stretch until nothing in it counts any more.
  private var reachMilliseconds: Int64 { windowMilliseconds + stretchMilliseconds - 1 }
}
