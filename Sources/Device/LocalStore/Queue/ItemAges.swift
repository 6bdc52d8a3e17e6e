package import Model
import SQLiteKit
package import Wire

/// Which rows of the queue were written in one boot: those from a sequence on. Only of them the monotonic clock says how old they
/// are.
struct BootMark: Equatable {
  let boot: String
  let firstSequence: Int64

  init(boot: String, firstSequence: Int64) {
    self.boot = boot
    self.firstSequence = firstSequence
  }

  /// As `text` wrote it; nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let sequence = Int64(parts[1]) else { return nil }
    self.init(boot: String(parts[0]), firstSequence: sequence)
  }

  var text: String { "\(boot) \(firstSequence)" }
}

extension LocalStore {
  /// How long ago the batch's alerts were raised and ended, by the clock that is never set; without those of which it does not
  /// know.
  package func ages(of batch: Batch, at moment: Moment) throws(LocalStoreError) -> [ItemAge] {
    guard let boot = moment.boot, batch.mutations.contains(where: { $0.kind.lane == .emergency }) else { return [] }
    return try file.read { connection in
      guard let mark = try connection.value(of: .boot).flatMap({ BootMark($0) }), mark.boot == boot else { return [] }
      var ages: [ItemAge] = []
      for (mutation, sequence) in zip(batch.mutations, batch.mutationSequences)
      where mutation.kind.lane == .emergency && sequence >= mark.firstSequence {
        guard let age = try connection.age(of: mutation, sequence, at: moment) else { continue }
        ages.append(ItemAge(id: mutation.id, milliseconds: age))
      }
      return ages
    }
  }
}

extension Connection {
  /// To be called before an alert's mutation is queued.
  func noteBoot(of moment: Moment) throws {
    let known = try value(of: .boot).flatMap { BootMark($0) }
    guard known?.boot != moment.boot else { return }
    let mark = try moment.boot.map { BootMark(boot: $0, firstSequence: try newestSequence() + 1) }
    try setValue(mark?.text, for: .boot)
  }

  /// What passed since it was queued, and what had passed by then: one that came out of the spool, or is offered again, happened
  /// before. Nil where the clock was set in between.
  fileprivate func age(
    of mutation: SyncRequestWriter.QueuedMutation, _ sequence: Int64, at moment: Moment
  ) throws -> Int64? {
    let queued = try statement(
      "SELECT created_at, created_monotonic FROM pending_mutations WHERE sequence = ? AND id = ?"
    ).first(.integer(sequence), SQLiteValue(mutation.id)) { (at: $0.time(0), monotonic: $0.integer(1)) }
    guard let queued else { return nil }
    let before = queued.at.milliseconds(since: mutation.occurredAt)
    let since = moment.monotonicMilliseconds - queued.monotonic
    guard before >= 0, since >= 0 else { return nil }
    return before + since
  }
}
