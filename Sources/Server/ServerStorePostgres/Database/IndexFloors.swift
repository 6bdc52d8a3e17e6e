import Model

/// Where the rows begin that an index leads to.
///
/// What was removed or moved on stays in an index for as long as anyone keeps an old state of the database in sight, as a backup does. Who
/// looks for the first row would walk through all of that each time.
struct IndexFloors: Sendable {
  /// In the queue of alerts that are to be written into inboxes.
  var inboxPosition: Int64 = 0
  var asking = Timestamp(milliseconds: 0)
  var silence = Timestamp(milliseconds: 0)

  /// So often all is looked at: another process may have written beneath them whose clock is behind, or whose program is another version.
  static let wholeLookMilliseconds: Int64 = 10_000
  /// The longest pause between two looks.
  static let longestPauseMilliseconds: Int64 = 60_000
  /// All who write wait for a look: at most this share of the time, up to the longest pause.
  private static let lookShare: Int64 = 100

  /// How long after a look that took `milliseconds` the next one is due.
  static func pause(afterLook milliseconds: Int64) -> Int64 {
    min(max(wholeLookMilliseconds, lookShare * milliseconds), longestPauseMilliseconds)
  }

  /// How far a floor stays behind now. No new due time lies in the past, but clocks of processes differ.
  static let lateMilliseconds: Int64 = 10_000

  /// The floor after the first time that was found at `now`; nil: none was.
  static func after(_ first: Timestamp?, at now: Timestamp) -> Timestamp {
    let past = now.advanced(byMilliseconds: -lateMilliseconds)
    return first.map { min($0, past) } ?? past
  }
}

extension PostgresTransaction {
  var floors: IndexFloors { foundFloors ?? (looksWhole ? IndexFloors() : writer.floors) }
}
