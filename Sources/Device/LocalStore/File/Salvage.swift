import Model
import SQLiteKit

/// Reads what can be read of a store that was set aside, row by row, into a new one.
struct Salvage {
  let folder: String
  let moment: Moment
  let options: StoreOptions

  /// One transaction. A table that breaks off is read from its other end too.
  func run(into new: Connection) throws -> OpeningReport.Salvaged {
    try new.write {
      var salvaged = OpeningReport.Salvaged()
      if let old = openOld() {
        defer { old.close() }
        salvaged.alerts = try copy(Self.alerts, old, new, &salvaged)
        salvaged.contacts = try copy(Self.contacts, old, new, &salvaged)
        salvaged.unreadableRows = try mender(of: new).dropUnreadableEntities()
        salvaged.queued = try copy(Self.mutations, old, new, &salvaged)
        salvaged.alerts += try new.rebuildAlertsFromMutations()
        salvaged.queued += try copy(Self.notifications, old, new, &salvaged)
        // Older stores have neither.
        if (try? old.statement("SELECT number FROM presses LIMIT 1")) != nil {
          _ = try copy(Self.updates, old, new, &salvaged)
          _ = try copy(Self.presses, old, new, &salvaged)
        }
        _ = try copy(Self.receipts, old, new, &salvaged)
        _ = try copy(Self.state, old, new, &salvaged)
      } else {
        salvaged.incompleteTables = Self.all.map(\.name)
      }
      try makeWhole(new, &salvaged)
      salvaged.session = try new.stateValues().session != nil
      return salvaged
    }
  }

  /// What the rows need to be a store: a device, a pull from the start, each alert that the server does not have in the
  /// queue with a request to tell of it, and one owner.
  private func makeWhole(_ new: Connection, _ salvaged: inout OpeningReport.Salvaged) throws {
    try new.nameDevice(DeviceID(versionSevenAt: moment.wall, random: options.random()))
    salvaged.unreadableRows += try mender(of: new).mendInPlace()
    try new.setValue(nil, for: .cursor)
    try new.queueNeverAccepted(at: moment, random: options.random)
    try new.queueLostRequests(at: moment, random: options.random)
    try new.adoptOwnerlessRows()
  }

  private func mender(of new: Connection) -> RowMender {
    RowMender(connection: new, identifiers: IdentifierSource(moment: moment, random: options.random))
  }

  /// nil where nothing at all can be read.
  private func openOld() -> Connection? {
    var connectionOptions = options.connection
    connectionOptions.createsFile = false
    connectionOptions.isForSalvage = true
    let path = folder + "/store.sqlite"
    // Damage is what it was set aside for: it is no error here. Beside an empty file SQLite would remove the log.
    guard let status = try? FileSystem.status(path), status.byteCount > 0,
      let old = try? Connection(path: path, options: connectionOptions),
      (try? old.statement("SELECT count(*) FROM sqlite_schema").first { $0.integer(0) }) ?? 0 > 0
    else { return nil }
    return old
  }

  private func copy(
    _ table: Table, _ old: Connection, _ new: Connection, _ salvaged: inout OpeningReport.Salvaged
  ) throws -> Int {
    let forwards = try copyRows(table.forwards, table.insert, old, new)
    guard forwards.isCutShort else { return forwards.count }
    salvaged.incompleteTables.append(table.name)
    return try forwards.count + copyRows(table.backwards, table.insert, old, new).count
  }

  /// Copies rows up to the first that cannot be read. One that the new store does not take is left out.
  private func copyRows(
    _ select: StaticString, _ insert: StaticString, _ old: Connection, _ new: Connection
  ) throws -> (count: Int, isCutShort: Bool) {
    var count = 0
    guard let rows = try? old.statement(select) else { return (0, true) }
    while true {
      // Any error of the damaged file ends its reading.
      guard let isRow = try? rows.step() else { return (count, true) }
      guard isRow else { return (count, false) }
      let insert = try new.statement(insert)
      try insert.bind(all: (0..<rows.columnCount).map { rows.value($0) })
      do throws(SQLiteError) {
        while try insert.step() {}
        count += new.changedRows
      } catch {
        guard error.isConstraint || error.isMismatch else { throw error }
      }
    }
  }
}

extension Salvage {
  struct Table {
    let name: String
    let forwards: StaticString
    let backwards: StaticString
    let insert: StaticString
  }

  static var all: [Table] { [alerts, contacts, mutations, notifications, receipts, state] }

  static let alerts = Table(
    name: "alerts",
    forwards: """
      SELECT id, account_id, list_order, started_at, ended_at, message, latitude, longitude, drill, utc_offset_minutes,
        started_monotonic, server_offset, accepted_at, end_accepted_at, discarded_at, end_discarded_at, server_epoch
      FROM alerts NOT INDEXED ORDER BY rowid
      """,
    backwards: """
      SELECT id, account_id, list_order, started_at, ended_at, message, latitude, longitude, drill, utc_offset_minutes,
        started_monotonic, server_offset, accepted_at, end_accepted_at, discarded_at, end_discarded_at, server_epoch
      FROM alerts NOT INDEXED ORDER BY rowid DESC
      """,
    insert: """
      INSERT OR IGNORE INTO alerts (id, account_id, list_order, started_at, ended_at, message, latitude, longitude, drill,
        utc_offset_minutes, started_monotonic, server_offset, accepted_at, end_accepted_at, discarded_at,
        end_discarded_at, server_epoch)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
  )

  static let contacts = Table(
    name: "contacts",
    forwards: """
      SELECT id, account_id, name, phone, is_responder, is_dependent, channels, is_removed, webhook_secret, server_state,
        server_epoch
      FROM contacts NOT INDEXED ORDER BY rowid
      """,
    backwards: """
      SELECT id, account_id, name, phone, is_responder, is_dependent, channels, is_removed, webhook_secret, server_state,
        server_epoch
      FROM contacts NOT INDEXED ORDER BY rowid DESC
      """,
    insert: """
      INSERT OR IGNORE INTO contacts (id, account_id, name, phone, is_responder, is_dependent, channels, is_removed,
        webhook_secret, server_state, server_epoch)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
  )

  static let mutations = Table(
    name: "pending_mutations",
    forwards: """
      SELECT sequence, id, account_id, entity_id, kind, lane, occurred_at, body, created_at, created_monotonic, attempts,
        next_attempt_at, last_error, parked_at, parked_code, parked_message
      FROM pending_mutations NOT INDEXED ORDER BY sequence
      """,
    backwards: """
      SELECT sequence, id, account_id, entity_id, kind, lane, occurred_at, body, created_at, created_monotonic, attempts,
        next_attempt_at, last_error, parked_at, parked_code, parked_message
      FROM pending_mutations NOT INDEXED ORDER BY sequence DESC
      """,
    insert: """
      INSERT OR IGNORE INTO pending_mutations (sequence, id, account_id, entity_id, kind, lane, occurred_at, body,
        created_at, created_monotonic, attempts, next_attempt_at, last_error, parked_at, parked_code, parked_message)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
  )

  static let notifications = Table(
    name: "pending_notifications",
    forwards: """
      SELECT sequence, id, account_id, alert_id, kind, created_at, attempts, next_attempt_at, last_error, parked_at,
        parked_code, parked_message
      FROM pending_notifications NOT INDEXED ORDER BY sequence
      """,
    backwards: """
      SELECT sequence, id, account_id, alert_id, kind, created_at, attempts, next_attempt_at, last_error, parked_at,
        parked_code, parked_message
      FROM pending_notifications NOT INDEXED ORDER BY sequence DESC
      """,
    insert: """
      INSERT OR IGNORE INTO pending_notifications (sequence, id, account_id, alert_id, kind, created_at, attempts,
        next_attempt_at, last_error, parked_at, parked_code, parked_message)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
  )

  static let receipts = Table(
    name: "receipts",
    forwards: """
      SELECT id, alert_id, contact_id, contact_name, notice, channel, state, at, reason
      FROM receipts NOT INDEXED ORDER BY rowid
      """,
    backwards: """
      SELECT id, alert_id, contact_id, contact_name, notice, channel, state, at, reason
      FROM receipts NOT INDEXED ORDER BY rowid DESC
      """,
    insert: """
      INSERT OR IGNORE INTO receipts (id, alert_id, contact_id, contact_name, notice, channel, state, at, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
  )

  static let updates = Table(
    name: "alerts",
    forwards:
      "SELECT update_id, update_body, held_end_at, held_end_accepted_at, id FROM alerts NOT INDEXED ORDER BY rowid",
    backwards: """
      SELECT update_id, update_body, held_end_at, held_end_accepted_at, id FROM alerts NOT INDEXED ORDER BY rowid DESC
      """,
    insert: "UPDATE alerts SET update_id = ?, update_body = ?, held_end_at = ?, held_end_accepted_at = ? WHERE id = ?"
  )

  static let presses = Table(
    name: "presses",
    forwards: """
      SELECT number, id, mutation_id, notification_id, alert_id, utc_offset_minutes, started_monotonic, accepted_at
      FROM presses NOT INDEXED ORDER BY number
      """,
    backwards: """
      SELECT number, id, mutation_id, notification_id, alert_id, utc_offset_minutes, started_monotonic, accepted_at
      FROM presses NOT INDEXED ORDER BY number DESC
      """,
    insert: """
      INSERT OR IGNORE INTO presses (number, id, mutation_id, notification_id, alert_id, utc_offset_minutes,
        started_monotonic, accepted_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """
  )

  static let state = Table(
    name: "sync_state",
    forwards: "SELECT key, value FROM sync_state ORDER BY key",
    backwards: "SELECT key, value FROM sync_state ORDER BY key DESC",
    insert: "INSERT OR IGNORE INTO sync_state (key, value) VALUES (?, ?)"
  )
}
