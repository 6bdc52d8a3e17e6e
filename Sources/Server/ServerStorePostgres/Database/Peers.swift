import Model

/// What a `ProcessID` names: one run of a server process. It has no values.
enum ServerProcess {}
typealias ProcessID = Identifier<ServerProcess>

/// The other processes that use the database, as this one sees them.
///
/// Each counts on with a transaction at least once in five seconds. Nobody compares clocks: a count that stands still, by the
/// clock of whoever looks, is that of a dead process.
struct Peers: Sendable {
  /// Three times what a living process takes for one more.
  static let silenceMilliseconds: Int64 = 15_000
  /// A process counts on, and looks at the counts of others, at most once in this time.
  static let lookMilliseconds: Int64 = 1000

  private struct Sight {
    var beat: Int64
    /// When the count was first seen like this; by the monotonic clock.
    var since: Int64
  }

  private var seen: [ProcessID: Sight] = [:]
  private var notedAt: Int64 = 0

  /// Takes over the counts that stand in the database now.
  ///
  /// Where the last look is long ago, all are seen anew: they may have been kept from writing by what kept this process from looking.
  mutating func note(_ beats: [(id: ProcessID, beat: Int64)], at now: Int64) {
    let earlier = now - notedAt < Self.silenceMilliseconds / 2 ? seen : [:]
    notedAt = now
    seen = [:]
    for (id, beat) in beats {
      let known = earlier[id]
      seen[id] = Sight(beat: beat, since: known?.beat == beat ? known?.since ?? now : now)
    }
  }

  /// Whether the last look found any.
  var areThere: Bool { !seen.isEmpty }

  /// Those whose counts had stood still for too long at the last look. What happened since is not known: the transaction of that look keeps
  /// all others from counting on.
  var dead: [ProcessID] {
    seen.filter { notedAt - $0.value.since >= Self.silenceMilliseconds }.map(\.key)
  }

  /// They were taken over.
  mutating func forget(_ dead: [ProcessID]) {
    for id in dead { seen[id] = nil }
  }
}
