import Model
import ServerCore

/// Where a round of housekeeping goes on: what it removes was removed before these times, or waits for the next round.
///
/// In the indexes, what was removed stays for as long as anyone keeps an old state of the database in sight, as a backup does, and so does each
/// earlier place of a row that moved on. Without floors each step would walk through all of that, while all who write wait for it.
struct HousekeepingFloors: Sendable {
  enum Kind: Hashable {
    case expired(ExpiredKind)
    case forgotten(ForgottenPart)
  }

  private struct Floor: Sendable {
    let time: Timestamp
    let end: Timestamp
  }

  private var floors: [Kind: Floor] = [:]

  /// Of the round that removes what is before `end`. Where it has not begun: the beginning of time, which is before any that a device tells.
  subscript(kind: Kind, before end: Timestamp) -> Timestamp {
    get { floors[kind].flatMap { $0.end == end ? $0.time : nil } ?? Timestamp(milliseconds: .min) }
    set { floors[kind] = Floor(time: newValue, end: end) }
  }

  mutating func endRound(of kind: Kind) { floors[kind] = nil }
}

extension PostgresTransaction {
  var housekeepingFloors: HousekeepingFloors {
    get { foundHousekeepingFloors ?? writer.housekeepingFloors }
    set { foundHousekeepingFloors = newValue }
  }
}
