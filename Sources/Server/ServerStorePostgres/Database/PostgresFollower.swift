import Glibc
import Model
import PostgresKit
import ServerCore
import SystemKit

/// Tells this process what others change in the database, and the others that this one has changed something.
///
/// A notification is a hint that makes it fast: it is sent after the commit, by a connection of its own, one for the commits of some
/// milliseconds. What a lost hint leaves is found by looking every two seconds. Its own hints are none for this process.
///
/// A database that only speaks PostgreSQL's protocol may have no notifications: there it looks four times a second.
final class PostgresFollower: StoreFollower {
  /// The commits of this time share a notification.
  private static let collectMilliseconds: Int32 = 5
  /// How long it waits after a failure.
  private static let retryMilliseconds: Int32 = 1_000

  private struct Orders {
    var tells = false
    var isStopped = false
  }

  private struct Line {
    let connection: PostgresConnection
    let hasHints: Bool

    var lookMilliseconds: Int { hasHints ? 2_000 : 250 }
  }

  /// How far it has looked.
  private struct Place {
    /// The transaction up to which all is told.
    var version: Int64
    /// When it looks without a hint.
    var nextLook: Deadline
  }

  private let settings: PostgresSettings
  private let process: ProcessID
  private let listen: String
  private let take: @Sendable (OthersChanges) -> Void
  private let orders = Lock(Orders())
  private let wake: WakePipe
  private let thread = Lock<SystemThread?>(nil)

  /// Follows what is committed from now on.
  /// - Parameter listen: the statement with which it asks for hints; tests name one that the database does not know.
  init(
    _ settings: PostgresSettings, _ process: ProcessID, listen: String = "LISTEN lifesignal",
    _ take: @escaping @Sendable (OthersChanges) -> Void
  ) throws(StorageError) {
    guard let wake = WakePipe() else {
      throw StorageError(.internalError, "no descriptor is left to follow the database")
    }
    self.settings = settings
    self.process = process
    self.listen = listen
    self.take = take
    self.wake = wake
    do {
      let line = try Self.connect(settings, listen)
      let start = try Self.version(line.connection)
      let started = try SystemThread { [self] in run(line, after: start) }
      thread.withLock { $0 = started }
    } catch {
      throw StorageError(any: error)
    }
  }

  /// Tells the other processes soon that something was committed.
  func tellOthers() {
    orders.withLock { $0.tells = true }
    wake.wakeUp()
  }

  func stop() {
    orders.withLock { $0.isStopped = true }
    wake.wakeUp()
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }

  private func run(_ first: Line, after start: Int64) {
    var line: Line? = first
    var place = Place(version: start, nextLook: Deadline(millisecondsFromNow: first.lookMilliseconds))
    while !orders.withLock({ $0.isStopped }) {
      do throws(PostgresError) {
        let living = if let line { line } else { try Self.connect(settings, listen) }
        line = living
        try follow(living, &place)
      } catch {
        line = nil
        // Hints may be missed until it listens again.
        place.nextLook = Deadline(millisecondsFromNow: 0)
        pause()
      }
    }
    line?.connection.close()
  }

  /// Waits for a hint, an order or the time to look, and does what is wanted then.
  private func follow(_ line: Line, _ place: inout Place) throws(PostgresError) {
    let connection = line.connection
    // One that came with the answers of the last look is not waited for.
    var isHinted = connection.takeNotifications()
    if !isHinted { wait(for: connection.socket, Int32(place.nextLook.remainingMilliseconds)) }
    let tells = orders.withLock { orders in
      defer { orders.tells = false }
      return orders.tells
    }
    if tells, line.hasHints { try notify(connection) }
    isHinted = connection.takeNotifications() || isHinted
    guard connection.isOpen else { throw PostgresError(.connectionLost, "the connection to the database is lost") }
    guard isHinted || place.nextLook.remainingMilliseconds == 0 else { return }
    place.version = try look(connection, after: place.version)
    place.nextLook = Deadline(millisecondsFromNow: line.lookMilliseconds)
  }

  private func notify(_ connection: PostgresConnection) throws(PostgresError) {
    poll(nil, 0, Self.collectMilliseconds)
    orders.withLock { $0.tells = false }
    var batch = PostgresBatch()
    batch.add("SELECT pg_notify('lifesignal', '')")
    try connection.run(batch)
  }

  private func look(_ connection: PostgresConnection, after version: Int64) throws(PostgresError) -> Int64 {
    var changes = OthersChanges()
    var newest = version
    var batch = PostgresBatch()
    // Read first: what is committed between the two is told again by the next look.
    batch.add(Self.newest) { rows throws(PostgresError) in
      newest = try rows.value() ?? version
    }
    batch.add(
      """
      SELECT account_id FROM changes WHERE changed > $1 AND changed > 0 AND changed_by IS DISTINCT FROM $2
      UNION SELECT account_id FROM account_logs WHERE changed > $1 AND changed_by IS DISTINCT FROM $2
      """, .integer(version), PostgresValue(process)
    ) { rows throws(PostgresError) in
      changes.accounts = try rows.map { row throws(PostgresError) in try row["account_id"] }
    }
    batch.add(
      """
      SELECT sessions.id FROM account_logs JOIN sessions ON sessions.account_id = account_logs.account_id
      WHERE account_logs.changed > $1 AND account_logs.changed_by IS DISTINCT FROM $2 AND sessions.ended_at IS NOT NULL
      """, .integer(version), PostgresValue(process)
    ) { rows throws(PostgresError) in
      changes.endedSessions = try rows.map { row throws(PostgresError) in try row["id"] }
    }
    try connection.run(batch)
    if !changes.isEmpty { take(changes) }
    return newest
  }

  /// Until the connection has something, the pipe was written to, or the time is over.
  private func wait(for socket: Int32, _ milliseconds: Int32) {
    var waited = [
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
    ]
    poll(&waited, 2, milliseconds)
    wake.drain()
  }

  /// After a failure: until the time is over, or it is stopped.
  private func pause() {
    let end = Deadline(millisecondsFromNow: Int(Self.retryMilliseconds))
    while end.remainingMilliseconds > 0, !orders.withLock({ $0.isStopped }) {
      wait(for: -1, Int32(end.remainingMilliseconds))
    }
  }

  private static func connect(_ settings: PostgresSettings, _ listen: String) throws(PostgresError) -> Line {
    let connection = try PostgresConnection(settings)
    do throws(PostgresError) {
      try connection.execute(script: listen)
      return Line(connection: connection, hasHints: true)
    } catch {
      guard error.kind == .other else { throw error }
      // It answered, and knows no such statement. Whether the connection can be used after that depends on the answer.
      connection.close()
      return Line(connection: try PostgresConnection(settings), hasHints: false)
    }
  }

  /// The newest transaction that has changed something of an account.
  private static let newest = """
    SELECT greatest(version, (SELECT max(changed) FROM account_logs), (SELECT max(changed) FROM deliveries)) AS version
    FROM writer WHERE id = 1
    """

  private static func version(_ connection: PostgresConnection) throws(PostgresError) -> Int64 {
    var version: Int64 = 0
    var batch = PostgresBatch()
    batch.add(newest) { rows throws(PostgresError) in version = try rows.value() ?? 0 }
    try connection.run(batch)
    return version
  }
}
