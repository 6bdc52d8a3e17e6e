import Arguments
import PostgresKit
import ServerCore
import ServerStorePostgres
import ServerStoreSQLite

/// `admin move`.
enum MoveCommand {
  static func run(_ invocation: Invocation) throws(ServerFailure) {
    guard case .file(let path) = try AdminCommands.database(invocation) else {
      throw ServerFailure(.data, "everything is in PostgreSQL already: its own tools, such as pg_dump, copy it")
    }
    guard case .postgres(let url) = try Database(invocation.argument(0) ?? "") else {
      throw ServerFailure(.usage, "the new database has to be postgresql://…")
    }
    if let fault = Database.fault(ofPostgres: url) { throw ServerFailure(.data, fault) }
    try AdminStore.requireFile(at: path)
    let date = "\(LiveMoment.now())".prefix(19).filter(\.isNumber)
    var moved = [String: Int]()
    let aside = try AdminCommands.storing { () throws(StorageError) in
      try StoreMoving(from: path).move(date: date) { rows in
        try PostgresFilling.fill(Database.settings(url)) { filling in
          for table in try filling.ordered(rows.tables, name: \.name) {
            try rows.each(of: table) { try filling.add($0, to: table.name, columns: table.columns) }
          }
          moved = filling.counts
        }
      }
    }
    let (accounts, alerts) = (moved["accounts"] ?? 0, moved["alerts"] ?? 0)
    AdminCommands.say("moved \(path) to PostgreSQL: \(counted(accounts, "account")), \(counted(alerts, "alert"))")
    for file in aside { AdminCommands.say("the file is now \(file): keep it as safe as the database, or delete it") }
    AdminCommands.say("start the server with the new database, under the same public URL")
  }
}
