import Model
import PlantedBugs
import SQLiteKit

/// Queues again what a restored server did not name in a pull from the start, in steps of one write transaction each.
///
/// However long the history is, a step takes few milliseconds, and between two of them whoever raises an alert gets the store's
/// lock. `sync_state` holds how far it is, so a process that is killed leaves the rest to the next exchange. It goes on only
/// while little is queued, so that a new alert never waits for thousands of old ones to be sent.
///
/// What somebody waits for comes first: alerts that are active, or of which responders are still to be told. A history that fits
/// into one step is queued in the order in which it was raised.
struct Resubmission {
  enum Stage: String, CaseIterable {
    case urgentAlerts = "urgent"
    case alerts
    case refusedMutations = "refused_mutations"
    case refusedNotifications = "refused_notifications"
    case contacts
  }

  struct Limits {
    /// How many rows one look goes through.
    var rowsRead = 250
    /// How many alerts, contacts or refused items one step queues.
    var rowsQueued: Int
    /// From so many alerts on that wait to be sent, no more are queued.
    let emergencies: Int

    /// For a store that queues so many alerts in one transaction.
    init(step: Int) {
      let isBounded = !PlantedBug.historyInOneTransaction.isPlanted
      (rowsRead, rowsQueued, emergencies) = isBounded ? (250, step, step) : (1 << 32, 1 << 32, 1 << 32)
    }
  }

  let connection: Connection
  let id: String
  /// What rows carry that the server has named since it was restored.
  let naming: String
  private var limits: Limits
  private(set) var place: Place

  /// How far it is.
  struct Place: Sendable {
    var stage = Stage.urgentAlerts
    /// The last row of the stage that was looked at.
    var position = Int64.min
    /// Of the resubmission that this is a place in.
    var id: String

    var text: String { "\(stage.rawValue) \(position)" }
  }

  /// Begins at `place`, or at the stored one. nil where none is under way, where the pull that it waits for is not over, and
  /// where enough is queued already.
  init?(_ connection: Connection, limits: Limits, from place: Place?) throws {
    let values = try connection.stateValues()
    guard let id = values[.resubmission], values[.restoring] == nil, let epoch = values[.epoch],
      try connection.hasFewEmergencies(limit: limits.emergencies)
    else { return nil }
    self.connection = connection
    self.id = id
    naming = values.naming(inEpoch: epoch)
    self.limits = limits
    self.place = place?.id == id ? place ?? Place(id: id) : Place(id: id, stored: values[.resubmissionPosition] ?? "")
  }
}

extension Resubmission.Place {
  /// A text that nobody wrote is the beginning: what was queued already is not queued a second time.
  fileprivate init(id: String, stored text: String) {
    self.init(id: id)
    let words = text.split(separator: " ")
    guard words.count == 2, let stage = Resubmission.Stage(rawValue: String(words[0])), let position = Int64(words[1])
    else { return }
    (self.stage, self.position) = (stage, position)
  }
}

// Looking for rows, inside a read or a write transaction.
extension Resubmission {
  /// What is to be queued next.
  private enum Work {
    case alerts([AlertToResubmit])
    case contacts([EntityID])
    case mutations([Int64])
    case notifications([Int64])

    var count: Int {
      switch self {
      case .alerts(let alerts): alerts.count
      case .contacts(let ids): ids.count
      case .mutations(let sequences), .notifications(let sequences): sequences.count
      }
    }
  }

  private enum Look {
    case found(Work)
    /// Nothing, in as many rows as may be read at a time.
    case goOn
    /// There is nothing left.
    case done
  }

  /// What a reader saw, who does not hold the lock.
  enum Seen: Sendable {
    /// Nothing up to there.
    case goOn(Place)
    /// Something to do from there on.
    case work(Place)
  }

  func findWork() throws -> Seen {
    var pass = self
    if case .goOn = try pass.look() { return .goOn(pass.place) }
    return .work(place)
  }

  /// Looks for what to queue next and moves `place` behind it.
  private mutating func look() throws -> Look {
    let found: Work? =
      switch place.stage {
      case .urgentAlerts, .alerts: try nextAlerts()
      case .refusedMutations: try nextRefused(Self.refusedMutations(connection)).map { .mutations($0) }
      case .refusedNotifications: try nextRefused(Self.refusedNotifications(connection)).map { .notifications($0) }
      case .contacts: try nextContacts().map { .contacts($0) }
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
    place.position = wanted.count > taken.count ? taken.last?.place ?? .max : isEnd ? .max : rows.last?.place ?? .max
    return taken.isEmpty ? nil : .alerts(taken.compactMap(\.alert))
  }

  private func alertRows() throws -> [AlertRow] {
    try statementOfAlerts.all(
      .text(naming), .text(id), .integer(place.position), .integer(Int64(limits.rowsRead))
    ) { row in
      let (isMissing, lacksEnd) = (row.boolean(11), row.boolean(12))
      // One that cannot be read stays as it is.
      let alert = isMissing || lacksEnd ? try? row.alertToResubmit(isMissing: isMissing) : nil
      return AlertRow(place: row.integer(10), isMissing: isMissing, lacksEnd: lacksEnd, alert: alert)
    }
  }

  private var statementOfAlerts: Statement {
    get throws {
      try connection.statement(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill, utc_offset_minutes, end_discarded_at,
          server_epoch IS NOT NULL, list_order,
          accepted_at IS NOT NULL AND server_epoch IS NOT ?1 AND resubmission IS NOT ?2 AND NOT EXISTS (
            SELECT 1 FROM pending_mutations WHERE entity_id = alerts.id AND kind = 'alert.activate'),
          accepted_at IS NOT NULL AND ended_at IS NOT NULL AND end_accepted_at IS NULL AND end_discarded_at IS NULL
            AND resubmission IS NOT ?2 AND NOT EXISTS (
              SELECT 1 FROM pending_mutations WHERE entity_id = alerts.id AND kind = 'alert.deactivate')
        FROM alerts WHERE list_order > ?3 ORDER BY list_order LIMIT ?4
        """)
    }
  }

  /// Whether somebody waits for it: it is active, or responders may not have been told all of it.
  private func isUrgent(_ row: AlertRow) throws -> Bool {
    guard let alert = row.alert else { return false }
    return try row.lacksEnd || alert.alert.isActive || !alert.wasNamed || connection.hasUntoldNotice(alert.alert.id)
      || connection.hasUntoldEnd(alert.alert.id)
  }

  private mutating func nextRefused(_ statement: Statement) throws -> [Int64]? {
    let sequences = try statement.all(.integer(place.position), .integer(Int64(limits.rowsQueued))) { $0.integer(0) }
    place.position = sequences.count < limits.rowsQueued ? .max : sequences.last ?? .max
    return sequences.isEmpty ? nil : sequences
  }

  private static func refusedMutations(_ connection: Connection) throws -> Statement {
    try connection.statement(
      """
      SELECT sequence FROM pending_mutations INDEXED BY pending_mutations_parked
      WHERE parked_at IS NOT NULL AND parked_code = 'unknown_alert' AND sequence > ? ORDER BY sequence LIMIT ?
      """)
  }

  private static func refusedNotifications(_ connection: Connection) throws -> Statement {
    try connection.statement(
      """
      SELECT sequence FROM pending_notifications INDEXED BY pending_notifications_parked
      WHERE parked_at IS NOT NULL AND parked_code = 'unknown_alert' AND sequence > ? ORDER BY sequence LIMIT ?
      """)
  }

  private mutating func nextContacts() throws -> [EntityID]? {
    let rows = try connection.statement(
      """
      SELECT rowid, id FROM contacts WHERE rowid > ? AND server_state IS NOT NULL AND server_epoch IS NOT ?
      ORDER BY rowid LIMIT ?
      """
    ).all(.integer(place.position), .text(naming), .integer(Int64(limits.rowsQueued))) { row in
      (rowID: row.integer(0), id: EntityID(stored: row.text(1)))
    }
    place.position = rows.count < limits.rowsQueued ? .max : rows.last?.rowID ?? .max
    return rows.isEmpty ? nil : rows.compactMap(\.id)
  }

  private struct AlertRow {
    let place: Int64
    let isMissing: Bool
    let lacksEnd: Bool
    let alert: AlertToResubmit?
  }
}

// Queueing what was found, inside a write transaction.
extension Resubmission {
  /// Whether what is left takes little time: the alerts have been gone through.
  private var isNearItsEnd: Bool { place.stage != .urgentAlerts && place.stage != .alerts }

  /// As much as one transaction may do.
  mutating func perform(_ identifiers: IdentifierSource) throws {
    repeat {
      switch try look() {
      case .found(let work):
        try queue(work, identifiers)
        limits.rowsQueued -= work.count
      case .goOn: break
      case .done: return try connection.endResubmission()
      }
    } while isNearItsEnd && limits.rowsQueued > 0
    try connection.setValue(place.text, for: .resubmissionPosition)
  }

  private func queue(_ work: Work, _ identifiers: IdentifierSource) throws {
    switch work {
    case .alerts(let alerts):
      for alert in alerts {
        if alert.isMissing {
          try connection.queueAgain(alert, in: id, identifiers)
        } else {
          try connection.queueLostEnd(of: alert.alert, identifiers)
        }
      }
    case .mutations(let sequences):
      for sequence in sequences { try connection.unparkMutation(sequence, as: identifiers.next()) }
    case .notifications(let sequences):
      for sequence in sequences { try connection.unparkNotification(sequence, as: identifiers.next()) }
    case .contacts(let ids):
      for id in ids { try connection.queueContactAgain(id, identifiers) }
    }
  }
}

extension Connection {
  /// Starts one, or starts the one that is under way anew: a pull has shown what the server has.
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
  /// What `server_epoch` holds of rows that the server has named since it was last found to be restored.
  func naming(inEpoch epoch: String) -> String { self[.naming].map { "\(epoch) \($0)" } ?? epoch }
}

extension LocalStore {
  /// Goes on with a resubmission that is under way, until enough is queued to be sent first. Each step holds the store's lock
  /// by itself; what a step has queued stays queued whatever becomes of the next.
  func continueResubmission(at moment: Moment) throws(LocalStoreError) {
    let identifiers = identifiers(at: moment)
    let limits = Resubmission.Limits(step: options.resubmissionStep)
    var place: Resubmission.Place?
    while let seen = try file.read({ try Resubmission($0, limits: limits, from: place)?.findWork() }) {
      place = nil
      switch seen {
      case .goOn(let next): place = next
      case .work(let from):
        try file.write { connection in
          var step = try Resubmission(connection, limits: limits, from: from)
          try step?.perform(identifiers)
        }
      }
    }
  }
}
