package import Model
import SQLiteKit

/// What is needed to send an alert from a home that is not writable: read from the store without writing a byte.
package struct EmergencyAccess: Sendable {
  package let deviceID: DeviceID
  package let accountID: AccountID
  package let alertKey: String
  /// Why a call for help reaches nobody, as far as this device knows.
  package let nobodyIsTold: NobodyIsTold?
  /// The active alerts, real ones first, each with its queued items.
  package let active: [EmergencyMessage]

  /// Throws if the store cannot be read; nil if nobody is signed in.
  package static func read(
    _ home: HomeDirectory, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) throws(LocalStoreError) -> EmergencyAccess? {
    do {
      let connection = try openReadOnly(home)
      defer { connection.close() }
      return try connection.read {
        try EmergencyAccess(StoreReading(connection), IdentifierSource(moment: moment, random: random))
      }
    } catch {
      throw LocalStoreError(any: error)
    }
  }

  /// Whether the store has the press of a spool file, so that the file is only a leftover. True also if the store cannot be read: the
  /// alert may be over then, and must not stand for a new call for help. An empty file was never a store: there was no room to create it.
  static func isTakenIn(_ press: AlertID, _ home: HomeDirectory) -> Bool {
    do {
      guard let status = try FileSystem.status(home.databasePath), status.byteCount > 0 else { return false }
      let connection = try openReadOnly(home)
      defer { connection.close() }
      return try connection.read { try StoreReading(connection).hasPress(press) }
    } catch {
      return true
    }
  }

  /// The alerts of others, as `LocalStore.inbox` gives them. Throws if the store cannot be read.
  package static func inbox(_ home: HomeDirectory, limit: Int) throws(LocalStoreError) -> [InboxEntry] {
    do {
      let connection = try openReadOnly(home)
      defer { connection.close() }
      return try connection.read { try StoreReading(connection).inbox(limit: limit) }
    } catch {
      throw LocalStoreError(any: error)
    }
  }

  /// Reads the log if it is not empty: it may contain the session. A store without a log can be read on a disk that takes none.
  private static func openReadOnly(_ home: HomeDirectory) throws -> Connection {
    var options = ConnectionOptions()
    options.createsFile = false
    options.access = try (FileSystem.status(home.logPath)?.byteCount ?? 0) == 0 ? .immutable : .readOnly
    return try Connection(path: home.databasePath, options: options)
  }

  private init?(_ reading: StoreReading, _ identifiers: IdentifierSource) throws {
    let values = try reading.stateValues()
    guard let deviceID = values[.deviceID].flatMap({ DeviceID($0) }), let session = values.session else { return nil }
    self.deviceID = deviceID
    accountID = session.accountID
    alertKey = session.alertKey
    nobodyIsTold = try reading.nobodyIsTold(receipts: [])
    let alerts = try reading.readableRows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE ended_at IS NULL AND discarded_at IS NULL ORDER BY drill, list_order
      """, row: Alert.init(row:))
    let tests = try reading.contactTestIDs()
    active = try alerts.filter { !tests.contains($0.id.description) }
      .map { alert in try EmergencyMessage(queuedOf: alert, reading, identifiers) }
  }
}

extension StoreReading {
  /// The active tests of one contact, which are no alerts. A store that could not be migrated to this version may have none.
  fileprivate func contactTestIDs() throws -> Set<String> {
    guard try hasRow("SELECT 1 FROM pragma_table_info('alerts') WHERE name = 'only_contact'") else { return [] }
    return Set(
      try rows("SELECT id FROM alerts WHERE ended_at IS NULL AND only_contact IS NOT NULL") { row in
        try row["id", as: String.self]
      })
  }
}
