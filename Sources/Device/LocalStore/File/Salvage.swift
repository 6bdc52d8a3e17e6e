import Model
import SQLiteKit

/// Reads what can be read of a damaged store, row by row, into a new one.
struct Salvage {
  /// Holds the damaged store as `store.sqlite`, with its log.
  let folder: String
  let moment: Moment
  let options: StoreOptions

  /// Runs in one transaction. A table that cannot be read to its end is read backwards from its end too.
  func run(into new: Connection) throws -> OpeningReport.Salvaged {
    try new.write {
      let transaction = StoreTransaction(new)
      var salvaged = OpeningReport.Salvaged()
      if let old = openOld() {
        defer { old.close() }
        salvaged.alerts = try copy(Self.alerts, old, new, &salvaged)
        salvaged.contacts = try copy(Self.contacts, old, new, &salvaged)
        // Stores of before the fourth migration have no tiers.
        if (try? old.statement("SELECT tier FROM contacts LIMIT 1")) != nil {
          _ = try copy(Self.tiers, old, new, &salvaged)
        }
        salvaged.unreadableRows = try repair(of: transaction).dropUnreadableEntities()
        salvaged.queued = try copy(Self.mutations, old, new, &salvaged)
        salvaged.alerts += try transaction.rebuildAlertsFromMutations()
        salvaged.queued += try copy(Self.notifications, old, new, &salvaged)
        // Stores of before the third migration have neither.
        if (try? old.statement("SELECT number FROM presses LIMIT 1")) != nil {
          _ = try copy(Self.updates, old, new, &salvaged)
          _ = try copy(Self.presses, old, new, &salvaged)
          salvaged.queued += try copyRows(Self.furtherCalls, Self.mutations.insert, old, new).count
        }
        // Stores of before the fifth have no tests of one responder.
        if (try? old.statement("SELECT only_contact FROM alerts LIMIT 1")) != nil {
          _ = try copy(Self.tests, old, new, &salvaged)
        }
        // Stores of before the sixth have no inbox.
        if (try? old.statement("SELECT record FROM inbox LIMIT 1")) != nil {
          _ = try copy(Self.inbox, old, new, &salvaged)
        }
        _ = try copy(Self.receipts, old, new, &salvaged)
        _ = try copy(Self.state, old, new, &salvaged)
      } else {
        salvaged.incompleteTables = Self.all.map(\.name)
      }
      try makeConsistent(transaction, &salvaged)
      salvaged.session = try transaction.stateValues().session != nil
      return salvaged
    }
  }

  /// Makes a consistent store of the salvaged rows: with a device's id, a pull from the start, one owner, and every alert that the server
  /// lacks in the queue, with a request to notify responders.
  private func makeConsistent(_ transaction: StoreTransaction, _ salvaged: inout OpeningReport.Salvaged) throws {
    let identifiers = IdentifierSource(moment: moment, random: options.random)
    try transaction.setDeviceID(identifiers.next())
    salvaged.unreadableRows += try repair(of: transaction).repairInPlace()
    try transaction.setValue(nil, for: .cursor)
    try transaction.requeueNeverAccepted(identifiers)
    try transaction.requeueLostNotifications(identifiers)
    try transaction.adoptOwnerlessRows()
  }

  private func repair(of transaction: StoreTransaction) -> RowRepair {
    RowRepair(transaction: transaction, identifiers: IdentifierSource(moment: moment, random: options.random))
  }

  /// nil if nothing at all can be read.
  private func openOld() -> Connection? {
    var connectionOptions = options.connection
    connectionOptions.createsFile = false
    connectionOptions.isForSalvage = true
    let path = folder + "/" + HomeDirectory.databaseName
    // An error here is the damage that the store is salvaged for. An empty file is not opened: SQLite would remove its log.
    guard let status = try? FileSystem.status(path), status.byteCount > 0,
      let old = try? Connection(path: path, options: connectionOptions),
      (try? old.statement("SELECT count(*) FROM sqlite_schema").value(as: Int.self)) ?? 0 > 0
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

  /// Copies rows up to the first that cannot be read. Leaves out a row that the new store's constraints reject.
  private func copyRows(
    _ select: StaticString, _ insert: StaticString, _ old: Connection, _ new: Connection
  ) throws -> (count: Int, isCutShort: Bool) {
    var count = 0
    guard let rows = try? old.statement(select) else { return (0, true) }
    while true {
      // Any error of the damaged file ends its reading.
      guard let isRow = try? rows.step() else { return (count, true) }
      guard isRow else { return (count, false) }
      do throws(SQLiteError) {
        try new.statement(insert).run(all: rows.values)
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

  static let tiers = Table(
    name: "contacts", forwards: "SELECT tier, id FROM contacts NOT INDEXED ORDER BY rowid",
    backwards: "SELECT tier, id FROM contacts NOT INDEXED ORDER BY rowid DESC",
    insert: "UPDATE contacts SET tier = ? WHERE id = ?")

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

  /// The queued calls as their presses say what they are: of the rows that the new store's constraints reject, and that it has not yet.
  private static let furtherCalls: StaticString = """
    SELECT sequence, m.id, account_id, alert_id, 'alert.update', 'emergency', occurred_at, body, created_at, created_monotonic,
      attempts, next_attempt_at, last_error, parked_at, parked_code, parked_message
    FROM presses p JOIN pending_mutations m ON m.id = p.mutation_id
    """

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

  static let inbox = Table(
    name: "inbox",
    forwards: """
      SELECT id, account_id, started_at, ended_at, record, server_epoch, seen_at, refusal
      FROM inbox NOT INDEXED ORDER BY rowid
      """,
    backwards: """
      SELECT id, account_id, started_at, ended_at, record, server_epoch, seen_at, refusal
      FROM inbox NOT INDEXED ORDER BY rowid DESC
      """,
    insert: """
      INSERT OR IGNORE INTO inbox (id, account_id, started_at, ended_at, record, server_epoch, seen_at, refusal)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
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

  static let tests = Table(
    name: "alerts",
    forwards: "SELECT only_contact, id FROM alerts NOT INDEXED WHERE only_contact IS NOT NULL ORDER BY rowid",
    backwards: "SELECT only_contact, id FROM alerts NOT INDEXED WHERE only_contact IS NOT NULL ORDER BY rowid DESC",
    insert: "UPDATE alerts SET only_contact = ? WHERE id = ?"
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
