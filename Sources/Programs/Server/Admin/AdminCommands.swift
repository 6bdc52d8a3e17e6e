import Arguments
import Glibc
import ServerCore
import ServerHTTP
import ServerStoreSQLite

/// What `lifesignal-server admin` does.
enum AdminCommands {
  static func run(_ invocation: Invocation) throws(ServerFailure) {
    let file = invocation.argument(0) ?? ""
    let path = try databaseFile(Settings(invocation, only: ["database"]))
    do throws(StorageError) {
      if invocation.path.last?.name == AdminUsage.backup.name {
        let copy = try StoreCopy.make(of: path, at: file)
        say("\(file) is a whole copy of \(path): \(describe(copy))")
      } else {
        try restore(file, to: path)
      }
    } catch {
      throw ServerFailure(status(of: error), error.message)
    }
  }

  private static func restore(_ file: String, to path: String) throws(StorageError) {
    let date = "\(LiveMoment.now())".prefix(19).filter(\.isNumber)
    let done = try StoreRestoring(at: path).restore(from: file, date: String(date))
    say("\(path) is as in \(file): \(describe(done.copy))")
    for kept in done.kept { say("what was there before is \(kept)") }
    if done.copy.activeAlerts > 0 {
      say("the next start asks the responders of active alerts again, however old these are")
    }
  }

  private static func status(of error: StorageError) -> ServerFailure.Status {
    switch error.code {
    case .busy: .unavailable
    case .damaged, .newerSchema: .data
    default: .cannotCreate
    }
  }

  private static func databaseFile(_ settings: Settings) throws(ServerFailure) -> String {
    guard let value = settings.value("database") else { return try DatabaseFolder.defaultFile(makesFolders: false) }
    guard case .file(let path) = try Database(value) else {
      throw ServerFailure(.data, "a database of PostgreSQL is backed up by its own tools, such as pg_dump")
    }
    return path
  }

  private static func describe(_ copy: StoreCopy) -> String {
    "\(count(copy.accounts, "account")), \(count(copy.activeAlerts, "active alert"))"
  }

  private static func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

  private static func say(_ line: String) { writeLine("lifesignal-server: \(line)", to: STDOUT_FILENO) }
}
