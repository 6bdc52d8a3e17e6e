import CPostgres
import Glibc
import SystemKit

/// One connection to a PostgreSQL server, in libpq's pipeline mode. It is used by one thread at a time, which its owner sees to.
///
/// Every wait has a limit. After a lost connection or a limit that passed, the connection is closed and every call throws.
package final class PostgresConnection: @unchecked Sendable {
  // The lock of its owner: a connection is taken out of what that guards, used by one thread, and put back.
  private var connection: OpaquePointer?
  private let settings: PostgresSettings
  /// The names of the statements that this session has prepared, by their text.
  private var prepared: [String: String] = [:]
  /// What was sent and is not answered yet, in order.
  private var underWay: [Sent] = []
  private var sentCount = 0

  /// Connects, and makes the session's commits durable. Throws if the server cannot be reached, refuses, or takes no writes.
  package init(_ settings: PostgresSettings) throws(PostgresError) {
    self.settings = settings
    if let fault = Self.libraryFault { throw PostgresError(.refused, fault) }
    try connect()
    try execute(script: settings.session)
  }

  /// Why libpq cannot be used on this machine; nil where it can.
  package static var libraryFault: String? { lifesignal_postgres_load().map { String(cString: $0) } }

  deinit { close() }

  package var isOpen: Bool { connection != nil }

  /// The process of the server that serves this connection.
  package var serverProcess: Int32 { connection.map { lifesignal_PQbackendPID($0) } ?? 0 }

  /// Looks, without waiting, whether the server has ended the connection meanwhile.
  package func notice() {
    guard let connection else { return }
    var waited = pollfd(fd: lifesignal_PQsocket(connection), events: Int16(POLLIN), revents: 0)
    // The end comes behind the server's last words.
    while poll(&waited, 1, 0) > 0 {
      guard lifesignal_PQconsumeInput(connection) == 1 else {
        close()
        return
      }
    }
    if lifesignal_PQstatus(connection) != CONNECTION_OK { close() }
  }

  /// To wait for notifications with; -1 once it is closed.
  package var socket: Int32 { connection.map { lifesignal_PQsocket($0) } ?? -1 }

  /// Whether the server has sent a notification of another connection since the last call. Does not wait.
  package func takeNotifications() -> Bool {
    notice()
    let own = serverProcess
    var hasAny = false
    while let connection, let notification = lifesignal_PQnotifies(connection) {
      hasAny = hasAny || notification.pointee.be_pid != own
      lifesignal_PQfreemem(notification)
    }
    return hasAny
  }

  /// The texts of the statements that this connection has prepared: for tests.
  package var statements: [String] { Array(prepared.keys) }

  package func close() {
    if let connection { lifesignal_PQfinish(connection) }
    connection = nil
    prepared = [:]
    underWay = []
  }

  /// Runs the statements of `batch` in one round trip, and hands out their rows, after those of what was sent before.
  package func run(_ batch: PostgresBatch) throws(PostgresError) {
    guard !batch.isEmpty else { return }
    try receive(through: try send(batch))
  }

  /// Sends the statements of `batch`, and returns its number, while the server begins to run them. `receive` hands out their rows.
  package func send(_ batch: PostgresBatch) throws(PostgresError) -> Int {
    let connection = try opened()
    var sent = Sent(number: sentCount + 1, commands: batch.commands)
    for command in batch.commands { try send(command, on: connection, &sent) }
    guard lifesignal_PQpipelineSync(connection) == 1 else { throw lost() }
    sentCount = sent.number
    underWay.append(sent)
    return sent.number
  }

  /// Waits for the answers to all that was sent up to the batch with this number, and hands out their rows. Throws the first error among them;
  /// then nothing is under way any more.
  package func receive(through number: Int) throws(PostgresError) {
    var failure: PostgresError?
    while let sent = underWay.first, failure != nil || sent.number <= number {
      underWay.removeFirst()
      do throws(PostgresError) { try receive(sent) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Waits for the answers to all that was sent. Returns the first error among them.
  package func receiveAll() -> PostgresError? {
    do throws(PostgresError) { try receive(through: sentCount) } catch { return error }
    return nil
  }

  /// Runs statements without parameters, separated by semicolons, in one transaction unless they say otherwise. Their rows are dropped.
  package func execute(script: String) throws(PostgresError) {
    let connection = try opened()
    let deadline = Deadline(millisecondsFromNow: settings.batchMilliseconds)
    guard lifesignal_PQexitPipelineMode(connection) == 1, lifesignal_PQsendQuery(connection, script) == 1 else {
      throw lost()
    }
    var failure: PostgresError?
    while let result = try nextResult(deadline) {
      defer { lifesignal_PQclear(result) }
      if !result.isSuccess { failure = failure ?? PostgresError(result) }
    }
    guard lifesignal_PQenterPipelineMode(connection) == 1 else { throw lost() }
    if let failure { throw self.failure(failure) }
  }
}

// Sending
extension PostgresConnection {
  private struct Sent {
    let number: Int
    let commands: [PostgresBatch.Command]
    var steps: [Step] = []
  }

  /// What an answer is to.
  private enum Step {
    case preparation(of: String, name: String)
    case execution
  }

  private func send(
    _ command: PostgresBatch.Command, on connection: OpaquePointer, _ sent: inout Sent
  ) throws(PostgresError) {
    let name = try prepare(command.statement, on: connection, &sent)
    var values = EncodedValues()
    for parameter in command.parameters { values.append(parameter.encode) }
    let lengths = values.lengths.map { Int32($0 ?? 0) }
    let formats = [Int32](repeating: 1, count: lengths.count)
    let isSent = values.withPointers { pointers in
      lifesignal_PQsendQueryPrepared(connection, name, Int32(lengths.count), pointers, lengths, formats, 1)
    }
    guard isSent == 1 else { throw lost() }
    sent.steps.append(.execution)
  }

  /// The name under which this session knows the statement, which is sent to be prepared if it is new. The name tells who reads PostgreSQL's
  /// log with which batch that was.
  private func prepare(
    _ statement: String, on connection: OpaquePointer, _ sent: inout Sent
  ) throws(PostgresError) -> String {
    if let name = prepared[statement] { return name }
    for case .preparation(statement, let name) in underWay.flatMap(\.steps) + sent.steps { return name }
    let name = "s\(sent.number)_\(sent.steps.count)"
    guard lifesignal_PQsendPrepare(connection, name, statement, 0, nil) == 1 else { throw lost() }
    sent.steps.append(.preparation(of: statement, name: name))
    return name
  }
}

// Receiving
extension PostgresConnection {
  /// The results of a batch's statements, until they are cleared.
  private struct Results {
    var rows: [OpaquePointer] = []

    func clear() {
      for result in rows { lifesignal_PQclear(result) }
    }
  }

  private func receive(_ sent: Sent) throws(PostgresError) {
    var results = Results()
    defer { results.clear() }
    try receive(sent.steps, into: &results, Deadline(millisecondsFromNow: settings.batchMilliseconds))
    for (command, result) in zip(sent.commands, results.rows) { try command.take?(PostgresRows(result)) }
  }

  /// Takes the answers to all steps, and throws the first failure among them.
  private func receive(_ steps: [Step], into results: inout Results, _ deadline: Deadline) throws(PostgresError) {
    var failure: PostgresError?
    for step in steps {
      while let result = try nextResult(deadline) {
        guard result.isSuccess else {
          // The statements behind a failed one are skipped.
          if lifesignal_PQresultStatus(result) != PGRES_PIPELINE_ABORTED { failure = failure ?? PostgresError(result) }
          lifesignal_PQclear(result)
          continue
        }
        switch step {
        case .preparation(let statement, let name):
          prepared[statement] = name
          lifesignal_PQclear(result)
        case .execution: results.rows.append(result)
        }
      }
    }
    if let failure, lifesignal_PQstatus(connection) == CONNECTION_BAD { throw self.failure(failure) }
    try takeSync(deadline)
    if let failure { throw self.failure(failure) }
  }

  private func takeSync(_ deadline: Deadline) throws(PostgresError) {
    guard let sync = try nextResult(deadline) else { throw lost() }
    defer { lifesignal_PQclear(sync) }
    guard lifesignal_PQresultStatus(sync) == PGRES_PIPELINE_SYNC else { throw lost() }
  }

  /// The next result; nil where a statement has no further one.
  private func nextResult(_ deadline: Deadline) throws(PostgresError) -> OpaquePointer? {
    let connection = try opened()
    while true {
      let isUnsent = lifesignal_PQflush(connection)
      guard isUnsent >= 0 else { throw lost() }
      if isUnsent == 0, lifesignal_PQisBusy(connection) == 0 { return lifesignal_PQgetResult(connection) }
      // With something unsent the server may have answers that it cannot send: then both are wanted.
      try wait(for: isUnsent == 0 ? POLLIN : POLLIN | POLLOUT, on: connection, until: deadline)
      guard lifesignal_PQconsumeInput(connection) == 1 else { throw lost() }
    }
  }

  /// Returns at the events, or earlier.
  private func wait(for events: Int32, on connection: OpaquePointer, until deadline: Deadline) throws(PostgresError) {
    var poll = pollfd(fd: lifesignal_PQsocket(connection), events: Int16(events), revents: 0)
    let remaining = deadline.remainingMilliseconds
    guard remaining > 0 else {
      close()
      throw PostgresError(.timedOut, "the database does not answer")
    }
    let isEncrypted = lifesignal_PQsslInUse(connection) == 1
    let count = Glibc.poll(&poll, 1, Int32(clamping: isEncrypted ? min(remaining, Self.recordMilliseconds) : remaining))
    guard count >= 0 || errno == EINTR else { throw lost() }
  }

  /// The rest of a TLS record that was read in part shows at no socket: it is looked for again after so long.
  private static let recordMilliseconds = 20
}

// The connection itself
extension PostgresConnection {
  private func connect() throws(PostgresError) {
    let parameters = settings.parameters
    var names = EncodedValues(texts: parameters.map(\.name) + [nil])
    var values = EncodedValues(texts: parameters.map(\.value) + [nil])
    // It waits for each host in turn, which only the call that blocks does.
    let made = names.withPointers { names in
      values.withPointers { values in lifesignal_PQconnectdbParams(names, values, 1) }
    }
    guard let made else { throw PostgresError(.connectionLost, "there is no memory for a connection") }
    connection = made
    guard lifesignal_PQstatus(made) == CONNECTION_OK else { throw refusal(of: made) }
    // Without one, libpq writes what the server remarks to standard error.
    _ = lifesignal_PQsetNoticeReceiver(made, { _, _ in }, nil)
    guard lifesignal_PQsetnonblocking(made, 1) == 0, lifesignal_PQenterPipelineMode(made) == 1 else { throw lost() }
  }

  /// Why the server could not be reached, and closes the connection. libpq names the host and the user there, never the password.
  private func refusal(of made: OpaquePointer) -> PostgresError {
    let text = String(cString: lifesignal_PQerrorMessage(made))
    close()
    let line = text.split(whereSeparator: \.isNewline).map { $0.trimmed }.joined(separator: " ")
    return PostgresError(.connectionLost, "the database cannot be reached: \(line)")
  }

  private func opened() throws(PostgresError) -> OpaquePointer {
    guard let connection else { throw PostgresError(.connectionLost, "the connection to the database is closed") }
    return connection
  }

  /// The error of a connection that broke, which is closed.
  private func lost() -> PostgresError {
    close()
    return PostgresError(.connectionLost, "the connection to the database is lost")
  }

  /// The same error; the connection is closed where it ended it.
  private func failure(_ error: PostgresError) -> PostgresError {
    if error.endsConnection || lifesignal_PQstatus(connection) == CONNECTION_BAD { close() }
    return error
  }
}

extension OpaquePointer {
  fileprivate var isSuccess: Bool {
    let status = lifesignal_PQresultStatus(self)
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK
  }
}

extension PostgresError {
  /// Of a failed statement.
  fileprivate init(_ result: OpaquePointer) {
    func field(_ code: Int32) -> String {
      lifesignal_PQresultErrorField(result, code).map { String(cString: $0) } ?? ""
    }
    let state = field(lifesignal_postgres_sqlstate)
    guard !state.isEmpty else {
      self.init(.connectionLost, "the connection to the database is lost")
      return
    }
    let constraint = field(lifesignal_postgres_constraint)
    self.init(
      state: state, text: field(lifesignal_postgres_message),
      place: constraint.isEmpty ? field(lifesignal_postgres_table) : constraint)
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
