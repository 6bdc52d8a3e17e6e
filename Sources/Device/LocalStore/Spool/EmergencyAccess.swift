package import Model
import SQLiteKit

/// What is needed to send an alert from a home that cannot be written: read from the store without writing a byte.
package struct EmergencyAccess: Sendable {
  package let deviceID: DeviceID
  package let accountID: AccountID
  package let alertKey: String
  /// Why a call for help reaches nobody, as far as this device knows.
  package let nobodyIsTold: NobodyIsTold?
  /// The alerts that are active here, a real one first, each with what of it is still queued.
  package let active: [EmergencyMessage]

  /// Throws where the store cannot be read; nil where nobody is signed in.
  package static func read(
    _ home: HomeDirectory, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) throws(LocalStoreError) -> EmergencyAccess? {
    do {
      let connection = try openReadOnly(home)
      defer { connection.close() }
      return try connection.read { try EmergencyAccess(connection, IdentifierSource(moment: moment, random: random)) }
    } catch {
      throw LocalStoreError(any: error)
    }
  }

  /// Whether the store has the alert of a file in the spool, so that the file is only left over. True also where the store cannot
  /// be read: nobody knows then, and what may be over must not stand for a new call for help. A store of no bytes never was one:
  /// there was no room to make it.
  static func isTakenIn(_ press: AlertID, _ home: HomeDirectory) -> Bool {
    do {
      guard let status = try FileSystem.status(home.databasePath), status.byteCount > 0 else { return false }
      let connection = try openReadOnly(home)
      defer { connection.close() }
      return try connection.read { try connection.hasPress(press) }
    } catch {
      return true
    }
  }

  /// The log is read where it holds something: it may be the session. A store without one can be read on a disk that takes none.
  private static func openReadOnly(_ home: HomeDirectory) throws -> Connection {
    var options = ConnectionOptions()
    options.createsFile = false
    options.access = try (FileSystem.status(home.logPath)?.byteCount ?? 0) == 0 ? .immutable : .readOnly
    return try Connection(path: home.databasePath, options: options)
  }

  private init?(_ connection: Connection, _ identifiers: IdentifierSource) throws {
    let values = try connection.stateValues()
    guard let deviceID = values[.deviceID].flatMap({ DeviceID($0) }), let session = values.session else { return nil }
    self.deviceID = deviceID
    accountID = session.accountID
    alertKey = session.alertKey
    nobodyIsTold = try connection.nobodyIsTold(receipts: [])
    let alerts = try connection.statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE ended_at IS NULL AND discarded_at IS NULL ORDER BY drill, list_order
      """
    ).allReadable { try $0.alert() }
    active = try alerts.map { alert in try EmergencyMessage(queuedOf: alert, connection, identifiers) }
  }
}
