import Model
import PlantedBugs
import SQLiteKit

/// Queues again what a restored server did not name in a pull from the start, in steps of one write transaction each.
///
/// However long the history is, a step takes a few milliseconds, and between two steps another process can take the store's lock to raise
/// an alert. `sync_state` holds the progress, so a process that is killed leaves the rest to the next exchange. A step runs only while
/// little is queued, so that a new alert never waits for thousands of old ones.
///
/// Urgent alerts come first: active ones, and those of which responders are still to be notified. A history that fits into one step is
/// queued oldest first.
struct Resubmission {
  enum Stage: String, CaseIterable {
    case urgentAlerts = "urgent"
    case alerts
    case refusedMutations = "refused_mutations"
    case refusedNotifications = "refused_notifications"
    case contacts
    case profile
  }

  struct Limits {
    /// The number of rows that one scan reads.
    var rowsRead = 250
    /// The number of alerts, contacts or rejected items that one step queues.
    var rowsQueued: Int
    /// While this many alert mutations wait to be sent, no more are queued.
    let emergencies: Int

    /// The limits of a store that queues `step` alerts in one transaction.
    init(step: Int) {
      let isBounded = !PlantedBug.historyInOneTransaction.isPlanted
      (rowsRead, rowsQueued, emergencies) = isBounded ? (250, step, step) : (1 << 32, 1 << 32, 1 << 32)
    }
  }

  private let reading: StoreReading
  let id: String
  /// The `server_epoch` of rows that the server has named since it was restored.
  let naming: String
  private var limits: Limits
  private(set) var place: Place

  /// The progress of a resubmission.
  struct Place: Sendable {
    var stage = Stage.urgentAlerts
    /// The last row of the stage that was read.
    var position = Int64.min
    /// The id of the resubmission.
    var id: String

    var text: String { "\(stage.rawValue) \(position)" }
  }

  /// Starts at `place`, or at the stored place. Nil if there is no resubmission, if the pull that it waits for is not complete, and if
  /// enough is queued already.
  init?(_ reading: StoreReading, limits: Limits, from place: Place?) throws {
    let values = try reading.stateValues()
    guard let id = values[.resubmission], values[.restoring] == nil, let epoch = values[.epoch],
      try reading.hasFewEmergencies(limit: limits.emergencies)
    else { return nil }
    self.reading = reading
    self.id = id
    naming = values.naming(inEpoch: epoch)
    self.limits = limits
    self.place = place?.id == id ? place ?? Place(id: id) : Place(id: id, stored: values[.resubmissionPosition] ?? "")
  }
}

extension Resubmission.Place {
  /// An invalid text means the start: what was queued already is not queued a second time.
  fileprivate init(id: String, stored text: String) {
    self.init(id: id)
    let words = text.split(separator: " ")
    guard words.count == 2, let stage = Resubmission.Stage(rawValue: String(words[0])), let position = Int64(words[1])
    else { return }
    (self.stage, self.position) = (stage, position)
  }
}

// Finding rows, in a read or a write transaction.
extension Resubmission {
  /// Rows to queue next.
  private enum Work {
    case alerts([AlertToRequeue])
    case contacts([EntityID])
    case mutations([Int64])
    case notifications([Int64])
    case profile

    var count: Int {
      switch self {
      case .alerts(let alerts): alerts.count
      case .contacts(let ids): ids.count
      case .mutations(let sequences), .notifications(let sequences): sequences.count
      case .profile: 1
      }
    }
  }

  private enum Scan {
    case found(Work)
    /// Nothing in the rows that one scan reads.
    case goOn
    /// Nothing is left.
    case done
  }

  /// What a scan without the lock found.
  enum Progress: Sendable {
    /// Nothing up to that place.
    case goOn(Place)
    /// Something to queue from that place on.
    case work(Place)
  }

  func findWork() throws -> Progress {
    var pass = self
    if case .goOn = try pass.scan() { return .goOn(pass.place) }
    return .work(place)
  }

  /// Finds what to queue next and moves `place` past it.
  private mutating func scan() throws -> Scan {
    let found: Work? =
      switch place.stage {
      case .urgentAlerts, .alerts: try nextAlerts()
      case .refusedMutations: try next(refusedMutations()).map { .mutations($0) }
      case .refusedNotifications: try next(refusedNotifications()).map { .notifications($0) }
      case .contacts: try nextContacts().map { .contacts($0) }
      case .profile: try nextProfile()
      }
    if let found { return .found(found) }
    guard place.position == .max else { return .goOn }
    guard let next = Stage.allCases.drop(while: { $0 != place.stage }).dropFirst().first else { return .done }
    place = Place(stage: next, id: id)
    return .goOn
  }

  private mutating func nextAlerts() throws -> Work? {
    let rows = try alertRows()
    let isEnd = rows.count < limits.rowsRead
    let missing = rows.filter { $0.isMissing || $0.lacksEnd }
    if place.stage == .urgentAlerts, place.position == .min, isEnd, missing.count <= limits.rowsQueued {
      place = Place(stage: .refusedMutations, id: id)
      return missing.isEmpty ? nil : .alerts(missing.compactMap(\.alert))
    }
    let wanted = place.stage == .urgentAlerts ? try missing.filter(isUrgent) : missing
    let taken = wanted.prefix(limits.rowsQueued)
    place.position =
      wanted.count > taken.count ? taken.last?.listOrder ?? .max : isEnd ? .max : rows.last?.listOrder ?? .max
    return taken.isEmpty ? nil : .alerts(taken.compactMap(\.alert))
  }

  private func alertRows() throws -> [AlertRow] {
    try reading.rows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, utc_offset_minutes, end_discarded_at,
        server_epoch IS NOT NULL AS was_named, list_order, only_contact IS NOT NULL AS is_test,
        accepted_at IS NOT NULL AND server_epoch IS NOT ?1 AND resubmission IS NOT ?2 AND NOT EXISTS (
          SELECT 1 FROM pending_mutations WHERE entity_id = alerts.id AND kind = 'alert.activate') AS is_missing,
        accepted_at IS NOT NULL AND ended_at IS NOT NULL AND end_accepted_at IS NULL AND end_discarded_at IS NULL
          AND resubmission IS NOT ?2 AND NOT EXISTS (
            SELECT 1 FROM pending_mutations WHERE entity_id = alerts.id AND kind = 'alert.deactivate') AS lacks_end
      FROM alerts WHERE list_order > ?3 ORDER BY list_order LIMIT ?4
      """, .text(naming), .text(id), .integer(place.position), .integer(Int64(limits.rowsRead)),
      row: AlertRow.init(row:))
  }

  /// Whether the alert is active, or responders may not have been notified of all of it.
  private func isUrgent(_ row: AlertRow) throws -> Bool {
    guard let alert = row.alert else { return false }
    return try row.lacksEnd || alert.alert.isActive || !alert.wasNamed
      || reading.hasPendingNotification(alert.alert.id) || reading.hasUntoldEnd(alert.alert.id)
  }

  private mutating func next(_ sequences: [Int64]) throws -> [Int64]? {
    place.position = sequences.count < limits.rowsQueued ? .max : sequences.last ?? .max
    return sequences.isEmpty ? nil : sequences
  }

  private func refusedMutations() throws -> [Int64] {
    try reading.rows(
      """
      SELECT sequence FROM pending_mutations INDEXED BY pending_mutations_parked
      WHERE parked_at IS NOT NULL AND parked_code = 'unknown_alert' AND sequence > ? ORDER BY sequence LIMIT ?
      """, .integer(place.position), .integer(Int64(limits.rowsQueued))
    ) { row in try row["sequence"] }
  }

  private func refusedNotifications() throws -> [Int64] {
    try reading.rows(
      """
      SELECT sequence FROM pending_notifications INDEXED BY pending_notifications_parked
      WHERE parked_at IS NOT NULL AND parked_code = 'unknown_alert' AND sequence > ? ORDER BY sequence LIMIT ?
      """, .integer(place.position), .integer(Int64(limits.rowsQueued))
    ) { row in try row["sequence"] }
  }

  private mutating func nextContacts() throws -> [EntityID]? {
    let rows = try reading.rows(
      """
      SELECT rowid AS row, id FROM contacts WHERE rowid > ? AND server_state IS NOT NULL AND server_epoch IS NOT ?
      ORDER BY rowid LIMIT ?
      """, .integer(place.position), .text(naming), .integer(Int64(limits.rowsQueued))
    ) { row in (number: try row["row", as: Int64.self], id: EntityID(stored: try row["id"])) }
    place.position = rows.count < limits.rowsQueued ? .max : rows.last?.number ?? .max
    return rows.isEmpty ? nil : rows.compactMap(\.id)
  }

  private mutating func nextProfile() throws -> Work? {
    defer { place.position = .max }
    guard place.position == .min, try reading.isProfileMissing(naming: naming) else { return nil }
    return .profile
  }

  private struct AlertRow {
    let listOrder: Int64
    let isMissing: Bool
    let lacksEnd: Bool
    /// Nil if the row cannot be read: then it stays as it is.
    let alert: AlertToRequeue?

    init(row: borrowing Row) throws(SQLiteError) {
      listOrder = try row["list_order"]
      isMissing = try row["is_missing"]
      lacksEnd = try row["lacks_end"]
      alert = isMissing || lacksEnd ? try? AlertToRequeue(row: row, isMissing: isMissing) : nil
    }
  }
}

// Queueing what was found, in a write transaction.
extension Resubmission {
  /// Whether the alerts are done: the rest takes little time.
  private var isPastAlerts: Bool { place.stage != .urgentAlerts && place.stage != .alerts }

  /// Runs one step.
  mutating func perform(_ transaction: StoreTransaction, _ identifiers: IdentifierSource) throws {
    repeat {
      switch try scan() {
      case .found(let work):
        try queue(work, transaction, identifiers)
        limits.rowsQueued -= work.count
      case .goOn: break
      case .done: return try transaction.endResubmission()
      }
    } while isPastAlerts && limits.rowsQueued > 0
    try transaction.setValue(place.text, for: .resubmissionPosition)
  }

  private func queue(_ work: Work, _ transaction: StoreTransaction, _ identifiers: IdentifierSource) throws {
    switch work {
    case .alerts(let alerts):
      for alert in alerts {
        if alert.isMissing {
          try transaction.requeue(alert, in: id, identifiers)
        } else {
          try transaction.requeueEnd(of: alert.alert, identifiers)
        }
      }
    case .mutations(let sequences):
      for sequence in sequences { try transaction.unparkMutation(sequence, as: identifiers.next()) }
    case .notifications(let sequences):
      for sequence in sequences { try transaction.unparkNotification(sequence, as: identifiers.next()) }
    case .contacts(let ids):
      for id in ids { try transaction.requeueContact(id, identifiers) }
    case .profile: try transaction.requeueProfile(identifiers)
    }
  }
}

extension StoreTransaction {
  /// Starts a resubmission, or restarts the current one: a pull has shown what the server has.
  func beginResubmission(_ identifiers: IdentifierSource) throws {
    try setValue((identifiers.next() as MutationID).description, for: .resubmission)
    try setValue(nil, for: .resubmissionPosition)
  }

  func endResubmission() throws {
    try setValue(nil, for: .resubmission)
    try setValue(nil, for: .resubmissionPosition)
  }
}

extension StateValues {
  /// The `server_epoch` of rows that the server has named since it was last found to be restored.
  func naming(inEpoch epoch: String) -> String { self[.naming].map { "\(epoch) \($0)" } ?? epoch }
}

extension LocalStore {
  /// Continues the current resubmission until enough is queued to be sent first. Each step takes the store's lock for itself, and what it
  /// queued stays queued if the next one fails.
  func continueResubmission(at moment: Moment) throws(LocalStoreError) {
    let identifiers = identifiers(at: moment)
    let limits = Resubmission.Limits(step: options.resubmissionStep)
    var place: Resubmission.Place?
    while let progress = try file.read({ try Resubmission($0, limits: limits, from: place)?.findWork() }) {
      place = nil
      switch progress {
      case .goOn(let next): place = next
      case .work(let from):
        try file.write { transaction in
          var step = try Resubmission(transaction, limits: limits, from: from)
          try step?.perform(transaction, identifiers)
        }
      }
    }
  }
}
