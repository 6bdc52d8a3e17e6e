import Model
import SQLiteKit

// The numbers that order the rows of the store. The schema's comments say the same.

extension Lane {
  /// What the routine lane adds to the sequences of its mutations. So each lane is a range of the table, and one index serves both. The
  /// tables check it.
  static let firstRoutineSequence: Int64 = 1 << 61
  /// No count of items gets this far: such a sequence is damage, and the next one must still fit into its lane.
  static let implausibleSequence: Int64 = 1 << 60

  /// What is added to the sequences of the lane's mutations in the table.
  var firstSequence: Int64 {
    switch self {
    case .emergency: 0
    case .routine: Self.firstRoutineSequence
    }
  }

  /// Counts of failed attempts stop here: a greater one is damage.
  static let attemptCountLimit: Int64 = 1_000_000
}

/// The values of `alerts.list_order`: the server's ordinal, or a greater number until the server gave one.
enum ListOrder {
  static let firstLocal: Int64 = 1 << 62
  /// From here on a value is damage: the next one must still fit.
  static let implausible: Int64 = 9_000_000_000_000_000_000
}

extension SQLiteValue {
  /// `Lane.firstRoutineSequence`.
  static let firstRoutineSequence = SQLiteValue.integer(Lane.firstRoutineSequence)
}
