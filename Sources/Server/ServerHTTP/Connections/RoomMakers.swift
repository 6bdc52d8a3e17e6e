/// Which connections make room for new ones where there are as many as there may be.
///
/// Whoever has just come, or just begun a request, gets time for it: somebody far away needs a round trip or two until the request is here.
/// After that those go first that wait for a request, longest first, and then those whose request or answer has been on its way for longest.
/// Where all have just come, the oldest goes. Connections whose answer is worked out, and event streams, stay.
struct RoomMakers {
  /// What a connection does.
  enum Stage: Sendable {
    /// It was opened or has had its answer, and sent nothing since.
    case waiting
    /// Of a request that is not whole.
    case receiving
    case answering
    /// Of an answer that the client has not taken yet.
    case sending
  }

  static let graceMilliseconds: Int64 = 5000

  private struct Change {
    var connection: UInt64
    var stage: Stage
    var number: UInt64
    /// Of the monotonic clock, in milliseconds.
    var time: Int64
  }

  private var changeCount: UInt64 = 0
  /// The number of each connection's last change.
  private var last: [UInt64: UInt64] = [:]
  // In the order of their changes. A connection that has gone on since does not count.
  private var waiting: ArraySlice<Change> = []
  private var moving: ArraySlice<Change> = []

  /// The connection does this from now on.
  mutating func note(_ connection: UInt64, _ stage: Stage, at now: Int64) {
    changeCount += 1
    last[connection] = changeCount
    let change = Change(connection: connection, stage: stage, number: changeCount, time: now)
    switch stage {
    case .waiting: append(change, to: \.waiting)
    case .receiving, .sending: append(change, to: \.moving)
    case .answering: break
    }
  }

  mutating func remove(_ connection: UInt64) { last[connection] = nil }

  /// The next one to be closed, and what it did; nil where there is none. It is not given again.
  mutating func takeNext(at now: Int64) -> (connection: UInt64, stage: Stage)? {
    dropOutdated(from: \.waiting)
    dropOutdated(from: \.moving)
    guard let change = next(at: now) else { return nil }
    remove(change.connection)
    return (change.connection, change.stage)
  }

  private func next(at now: Int64) -> Change? {
    let (waits, moves) = (waiting.first, moving.first)
    if let waits, isOld(waits, at: now) { return waits }
    if let moves, isOld(moves, at: now) { return moves }
    return [waits, moves].compactMap { $0 }.min { $0.number < $1.number }
  }

  private func isOld(_ change: Change, at now: Int64) -> Bool { now - change.time >= Self.graceMilliseconds }

  private mutating func dropOutdated(from line: WritableKeyPath<Self, ArraySlice<Change>>) {
    while let first = self[keyPath: line].first, last[first.connection] != first.number {
      self[keyPath: line].removeFirst()
    }
  }

  private mutating func append(_ change: Change, to line: WritableKeyPath<Self, ArraySlice<Change>>) {
    self[keyPath: line].append(change)
    guard self[keyPath: line].count > 2 * last.count + 64 else { return }
    let current = self[keyPath: line].filter { last[$0.connection] == $0.number }
    self[keyPath: line] = current[...]
  }
}
