/// Which connections make room for new ones where there are as many as there may be: those that wait for a request, longest first, and then
/// those whose request has been on its way for longest. Connections that are being answered, and event streams, stay.
struct RoomMakers {
  /// What a connection does.
  enum Stage: Sendable {
    /// It was opened or has had its answer, and sent nothing since.
    case waiting
    /// Of a request that is not whole.
    case receiving
    case answering
  }

  private struct Change {
    var connection: UInt64
    var number: UInt64
  }

  private var changeCount: UInt64 = 0
  /// The number of each connection's last change.
  private var last: [UInt64: UInt64] = [:]
  // In the order of their changes. A connection that has gone on since does not count.
  private var waiting: ArraySlice<Change> = []
  private var receiving: ArraySlice<Change> = []

  /// The connection does this from now on.
  mutating func note(_ connection: UInt64, _ stage: Stage) {
    changeCount += 1
    last[connection] = changeCount
    let change = Change(connection: connection, number: changeCount)
    switch stage {
    case .waiting: append(change, to: \.waiting)
    case .receiving: append(change, to: \.receiving)
    case .answering: break
    }
  }

  mutating func remove(_ connection: UInt64) { last[connection] = nil }

  /// The next one to be closed, and what it did; nil where there is none. It is not given again.
  mutating func takeNext() -> (connection: UInt64, stage: Stage)? {
    if let next = takeNext(from: \.waiting) { return (next, .waiting) }
    return takeNext(from: \.receiving).map { ($0, .receiving) }
  }

  private mutating func takeNext(from line: WritableKeyPath<Self, ArraySlice<Change>>) -> UInt64? {
    while let change = self[keyPath: line].popFirst() {
      guard last[change.connection] == change.number else { continue }
      remove(change.connection)
      return change.connection
    }
    return nil
  }

  private mutating func append(_ change: Change, to line: WritableKeyPath<Self, ArraySlice<Change>>) {
    self[keyPath: line].append(change)
    guard self[keyPath: line].count > 2 * last.count + 64 else { return }
    let current = self[keyPath: line].filter { last[$0.connection] == $0.number }
    self[keyPath: line] = current[...]
  }
}
