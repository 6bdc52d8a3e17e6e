import Model
import ServerCore

/// Keeps the schedule of deliveries in step with the table, through commits and what is undone.
///
/// Used by one connection; whoever uses that uses this.
final class ScheduleKeeper {
  enum Change {
    case set(DeliverySchedule.Entry)
    case remove(DeliveryID)
  }

  /// Nil before it was read from the table, and after anything that it cannot follow.
  private(set) var schedule: DeliverySchedule?
  /// What the open transaction wrote.
  private var journal: [Change] = []
  /// The schedule shows what the open transaction wrote: should that be undone, it is worth nothing.
  private var isAhead = false
  private var limits: InFlightLimits?
  private var dataVersion: Int64 = 0

  var journalLength: Int { journal.count }

  func note(_ change: Change) {
    if schedule != nil { journal.append(change) }
  }

  /// Part of the open transaction was undone.
  func undo(to length: Int) {
    if isAhead { forget() } else { journal.removeLast(max(0, journal.count - length)) }
  }

  func commit() {
    flush()
    isAhead = false
  }

  func rollBack() {
    if isAhead { forget() }
    journal = []
    isAhead = false
  }

  /// The table changed in a way that is cheaper to read than to follow.
  func forget() {
    schedule = nil
    journal = []
    isAhead = true
  }

  /// Whether the schedule is that of the table, which another process changes too: `dataVersion` tells.
  func isCurrent(_ limits: InFlightLimits, dataVersion: Int64) -> Bool {
    schedule != nil && self.limits == limits && self.dataVersion == dataVersion
  }

  /// Takes over what was read from the table.
  func take(_ entries: [DeliverySchedule.Entry], _ limits: InFlightLimits, dataVersion: Int64) {
    var schedule = DeliverySchedule(limits)
    for entry in entries { schedule.set(entry) }
    self.schedule = schedule
    self.limits = limits
    self.dataVersion = dataVersion
    journal = []
    isAhead = true
  }

  /// Works on the schedule with all that the open transaction wrote.
  func use<Result>(_ body: (inout DeliverySchedule) -> Result) -> Result? {
    flush()
    isAhead = true
    guard var schedule else { return nil }
    self.schedule = nil
    defer { self.schedule = schedule }
    return body(&schedule)
  }

  private func flush() {
    guard !journal.isEmpty, var schedule else { return }
    self.schedule = nil
    for change in journal {
      switch change {
      case .set(let entry): schedule.set(entry)
      case .remove(let id): schedule.remove(id)
      }
    }
    self.schedule = schedule
    journal = []
    isAhead = true
  }
}

extension SQLiteServerTransaction {
  /// Runs a whole transaction, and has the schedule follow its end.
  func following<Result>(_ transaction: () throws -> Result) throws -> Result {
    do {
      let result = try transaction()
      keeper.commit()
      return result
    } catch {
      keeper.rollBack()
      throw error
    }
  }
}

extension ScheduleKeeper.Change {
  init(_ delivery: StoredDelivery) {
    guard delivery.state == .queued, let dueAt = delivery.dueAt else {
      self = .remove(delivery.id)
      return
    }
    self = .set(
      DeliverySchedule.Entry(
        id: delivery.id, account: delivery.target.account, host: delivery.target.channel?.host ?? "",
        priority: delivery.priority, attempts: delivery.attempts, dueAt: dueAt, isLeased: delivery.isLeased))
  }
}
