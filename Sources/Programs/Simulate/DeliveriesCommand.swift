import Arguments
import Glibc
import PostgresKit
import ServerCore
import ServerStorePostgres
import ServerStoreSQLite
import SystemKit

/// `lifesignal-simulate deliveries`: how fast a store's queue of messages is worked off, where sending one takes no time.
///
/// One line of JSON. Exit status 69 if the store fails.
enum DeliveriesCommand {
  static func run(_ invocation: Invocation) throws(UsageError) -> Int32 {
    guard let database = invocation.value("database") else {
      throw UsageError(message: "--database is missing", path: invocation.path)
    }
    let count = try number(invocation, "count", 1...10_000_000) ?? 20_000
    let senders = try number(invocation, "senders", 1...1000)
    let batch = try number(invocation, "batch", 1...10_000)
    if senders != nil, batch != nil {
      throw UsageError(message: "--senders and --batch exclude each other", path: invocation.path)
    }
    do {
      let store = try open(database)
      defer { store.close() }
      let work = try DeliveryWork(store: store.store, inFlight: senders ?? batch ?? 1)
      try work.queue(count)
      let result =
        if let senders { try work.workOff(count, bySenders: senders) } else {
          try work.workOff(count, inBatchesOf: batch ?? 1)
        }
      print(result.json)
      return 0
    } catch {
      SimulateOptions.complain("lifesignal-simulate: \((error as? StorageError)?.message ?? "the store failed")\n")
      return 69
    }
  }

  private static func number(
    _ invocation: Invocation, _ option: String, _ range: ClosedRange<Int>
  ) throws(UsageError) -> Int? {
    try invocation.read(option, "a number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private static func open(_ database: String) throws(StorageError) -> (store: any ServerStore, close: () -> Void) {
    guard database.hasPrefix("postgres") else {
      let store = try SQLiteServerStore.open(path: database, creation: .first)
      return (store, store.close)
    }
    let store = try PostgresServerStore.open(PostgresSettings(url: database, applicationName: "lifesignal-simulate"))
    return (store, store.close)
  }
}
