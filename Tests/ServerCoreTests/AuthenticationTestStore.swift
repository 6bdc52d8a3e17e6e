import Foundation
import Model
import SQLiteKit
import Schema
import Wire

@testable import ServerCore
@testable import ServerStoreSQLite

/// A store in a real file that is removed with it, and the routes of sign-in over it.
final class TestStore: @unchecked Sendable, ServerStore {
  // `lock` is held while either connection is used.
  private let lock = NSLock()
  private let path: String
  private let writer: Connection
  private let reader: Connection

  convenience init() throws {
    try self.init(path: NSTemporaryDirectory() + "lifesignal-accounts-\(UUID().uuidString).sqlite")
  }

  private init(path: String) throws {
    self.path = path
    writer = try Connection(path: path)
    try Migrator(Self.migrations).migrate(writer)
    reader = try Connection(path: path)
  }

  deinit {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  private static var migrations: [Migration] {
    sequence(state: Int32(0)) { index in
      let file = lifesignal_schema_server_migration(index)
      index += 1
      return file.name.map { Migration(name: String(cString: $0), sql: String(cString: file.bytes)) }
    }.map { $0 }
  }

  /// The same file through new connections, as after a restart.
  func reopened() throws -> TestStore { try TestStore(path: path) }

  /// Every byte of the file and its log.
  func fileBytes() throws -> [UInt8] {
    try [path, path + "-wal"].flatMap { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) }
  }

  func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    try lock.withLock {
      try reader.read { try body(SQLiteServerTransaction(connection: reader, isWritable: false)) }
    }
  }

  func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    try lock.withLock {
      try writer.write { try body(SQLiteServerTransaction(connection: writer, isWritable: true)) }
    }
  }
}

extension TestStore {
  /// As the router does: what a handler throws undoes its transaction, what it returns stays.
  func respond(_ core: ServerCore, _ request: ServerRequest, _ moment: ServerMoment) -> ServerOutcome {
    do {
      return try write { transaction in
        var context = RequestContext(
          configuration: core.configuration, keys: core.keys, request: request, transaction: transaction,
          now: moment.now, parameters: [], entropy: moment.entropy)
        guard let entry = AuthenticationRoutes.entries.first(where: { $0.pattern == request.path }) else {
          throw Problem(.notFound, "There is no such route.")
        }
        if entry.access == .session { context.principal = try Principal.identify(context) }
        return ServerOutcome(response: try entry.handler(&context), codes: context.codes)
      }
    } catch let problem as Problem {
      return ServerOutcome(response: .problem(problem))
    } catch {
      return ServerOutcome(response: .problem(Problem(.internalError, "\(error)")))
    }
  }
}
