package import Model

/// Keeps the schedule of deliveries in step with the table, through commits and rollbacks.
///
/// It belongs to one connection and is used by the same thread.
package final class ScheduleKeeper {
  package enum Change {
    case set(DeliverySchedule.Entry)
    case remove(DeliveryID)
    case answer(HostAnswer, host: String)
    /// The last attempt of the message hung.
    case hung(DeliveryID)
  }

  /// Nil before it is read from the table, and after changes that it cannot follow.
  package private(set) var schedule: DeliverySchedule?
  /// The previous schedule, kept for its knowledge of hosts and of what hung.
  private var forgotten: DeliverySchedule?
  /// The changes of the open transaction.
  private var journal: [Change] = []
  /// Whether the schedule contains changes of the open transaction: a rollback makes it invalid.
  private var isAhead = false
  private var limits: InFlightLimits?
  private var dataVersion: Int64 = 0

  package init() {}

  package var journalLength: Int { journal.count }

  package func note(_ change: Change) {
    if schedule != nil { journal.append(change) }
  }

  /// Part of the open transaction was undone.
  package func undo(to length: Int) {
    if isAhead { setAside() } else { journal.removeLast(max(0, journal.count - length)) }
  }

  package func commit() {
    flush()
    isAhead = false
  }

  package func rollBack() {
    if isAhead { setAside() }
    journal = []
    isAhead = false
  }

  /// Drops the schedule: reading the table again is cheaper than following the change. What it knows of hosts and of what hung stays, with
  /// what the open transaction has noted.
  package func forget() {
    flush()
    setAside()
  }

  /// Drops the schedule without what was noted since it was used last: that was undone.
  private func setAside() {
    forgotten = schedule ?? forgotten
    schedule = nil
    journal = []
    isAhead = true
  }

  /// Whether the schedule matches the table. `dataVersion` changes when another process writes.
  package func isCurrent(_ limits: InFlightLimits, dataVersion: Int64) -> Bool {
    schedule != nil && self.limits == limits && self.dataVersion == dataVersion
  }

  /// Replaces the schedule by what was read from the table.
  package func take(_ entries: [DeliverySchedule.Entry], _ limits: InFlightLimits, dataVersion: Int64) {
    flush()
    let earlier = self.limits == limits ? schedule ?? forgotten : nil
    var schedule = DeliverySchedule(limits, after: earlier)
    forgotten = nil
    schedule.reserve(entries.count)
    let hung = Set(earlier?.hung ?? [])
    for entry in entries { schedule.set(entry, hasHung: hung.contains(entry.id)) }
    self.schedule = schedule
    self.limits = limits
    self.dataVersion = dataVersion
    isAhead = true
  }

  /// Calls `body` with the schedule, including the changes of the open transaction.
  package func use<Result>(_ body: (inout DeliverySchedule) -> Result) -> Result? {
    flush()
    isAhead = true
    guard var schedule else { return nil }
    self.schedule = nil
    defer { self.schedule = schedule }
    return body(&schedule)
  }

  /// How many deliveries of the account are in the schedule, with the changes of the open transaction; nil where there is none.
  package func count(of account: AccountID) -> Int? {
    guard let schedule else { return nil }
    var isThere: [DeliveryID: Bool] = [:]
    for change in journal {
      switch change {
      case .set(let entry) where entry.account == account: isThere[entry.id] = true
      case .remove(let id): isThere[id] = false
      case .set, .answer, .hung: break
      }
    }
    return isThere.reduce(schedule.count(of: account)) { count, change in
      count + (change.value ? 1 : 0) - (schedule.contains(change.key, of: account) ? 1 : 0)
    }
  }

  private func flush() {
    guard !journal.isEmpty, var schedule else { return }
    self.schedule = nil
    for change in journal {
      switch change {
      case .set(let entry): schedule.set(entry)
      case .remove(let id): schedule.remove(id)
      case .answer(let answer, let host): schedule.note(answer, of: host)
      case .hung(let id): schedule.noteHung(id)
      }
    }
    self.schedule = schedule
    journal = []
    isAhead = true
  }
}

extension ScheduleKeeper.Change {
  package init(_ delivery: StoredDelivery) {
    guard delivery.state == .queued, let dueAt = delivery.dueAt else {
      self = .remove(delivery.id)
      return
    }
    self = .set(
      DeliverySchedule.Entry(
        id: delivery.id, account: delivery.target.account, host: delivery.target.channel?.deliveryHost ?? "",
        priority: delivery.priority, attempts: delivery.attempts, dueAt: dueAt, isLeased: delivery.isLeased,
        hasFailed: delivery.reason != nil))
  }
}
