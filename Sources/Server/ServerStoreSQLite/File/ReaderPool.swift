import SystemKit

/// Connections that read, as many as are used at once.
final class ReaderPool: Sendable {
  private let idle = Lock<[StoreConnection]>([])
  private let make: @Sendable () -> StoreConnection

  init(make: @escaping @Sendable () -> StoreConnection) {
    self.make = make
  }

  func use<Result>(_ body: (SQLiteServerTransaction) throws -> Result) throws -> Result {
    let connection = idle.withLock { $0.popLast() } ?? make()
    defer { idle.withLock { $0.append(connection) } }
    return try connection.use(body)
  }

  /// Uses each idle connection.
  func useIdle(_ body: (SQLiteServerTransaction) throws -> Void) throws {
    for connection in idle.withLock({ $0 }) { try connection.use(body) }
  }

  /// Closes the idle connections.
  func shutDown() {
    for connection in idle.withLock({ $0 }) { connection.shutDown() }
  }
}
