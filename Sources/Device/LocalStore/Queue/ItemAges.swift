package import Model
import SQLiteKit
package import Wire

/// The first row of the queue that was written in the current boot. The monotonic clock tells the age of that row and of later ones
/// only.
struct BootMark: Equatable {
  let boot: String
  let firstSequence: Int64

  init(boot: String, firstSequence: Int64) {
    self.boot = boot
    self.firstSequence = firstSequence
  }

  /// Reads `text`; nil if it is not one.
  init?(_ text: String) {
    guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")),
      let sequence = Int64(text[text.utf8.index(after: space)...])
    else { return nil }
    self.init(boot: String(text[..<space]), firstSequence: sequence)
  }

  var text: String { "\(boot) \(firstSequence)" }
}

extension LocalStore {
  /// How long ago the batch's alerts were raised and ended, and its answers given, by the monotonic clock. Leaves out those that were
  /// queued in another boot.
  package func ages(of batch: Batch, at moment: Moment) throws(LocalStoreError) -> [ItemAge] {
    guard let boot = moment.boot, batch.mutations.contains(where: \.kind.isDated) else { return [] }
    return try file.read { reading in
      guard let mark = try reading.value(of: .boot).flatMap({ BootMark($0) }), mark.boot == boot else { return [] }
      var ages: [ItemAge] = []
      for (mutation, sequence) in zip(batch.mutations, batch.mutationSequences)
      where mutation.kind.isDated && sequence - mutation.kind.lane.firstSequence >= mark.firstSequence {
        guard let age = try reading.age(of: mutation, sequence, at: moment) else { continue }
        ages.append(ItemAge(id: mutation.id, milliseconds: age))
      }
      return ages
    }
  }
}

extension StoreReading {
  /// The time since the mutation was queued, and before that since it happened: one that came from the spool, or is queued again, is
  /// older than its row. Nil if the clock was set in between.
  fileprivate func age(
    of mutation: SyncRequestWriter.QueuedMutation, _ sequence: Int64, at moment: Moment
  ) throws -> Int64? {
    let queued = try row(
      "SELECT created_at, created_monotonic FROM pending_mutations WHERE sequence = ? AND id = ?", .integer(sequence),
      SQLiteValue(mutation.id)
    ) { row in
      (at: try row["created_at", as: Timestamp.self], monotonic: try row["created_monotonic", as: Int64.self])
    }
    guard let queued else { return nil }
    let before = queued.at.milliseconds(since: mutation.occurredAt)
    let (since, isSinceUnknown) = moment.monotonicMilliseconds.subtractingReportingOverflow(queued.monotonic)
    let (age, isUnknown) = before.addingReportingOverflow(since)
    guard before >= 0, since >= 0, !isSinceUnknown, !isUnknown else { return nil }
    return age
  }
}

extension StoreTransaction {
  /// Notes the first sequence of a new boot, without what a lane adds. Called before a mutation is queued whose age matters.
  func noteBoot(of moment: Moment) throws {
    let known = try value(of: .boot).flatMap { BootMark($0) }
    guard known?.boot != moment.boot else { return }
    let mark = try moment.boot.map { BootMark(boot: $0, firstSequence: try newestSequence() + 1) }
    try setValue(mark?.text, for: .boot)
  }
}
