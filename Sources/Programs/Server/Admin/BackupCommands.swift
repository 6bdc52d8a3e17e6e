import Arguments
import ServerCore
import ServerStoreSQLite

/// `admin backup` and `admin restore`.
enum BackupCommands {
  static func back(up invocation: Invocation) throws(ServerFailure) {
    let file = invocation.argument(0) ?? "", path = try databaseFile(invocation, "backup", by: "pg_dump")
    let made = try AdminCommands.storing { () throws(StorageError) in try StoreCopy.make(of: path, at: file) }
    AdminCommands.say("\(file) is a whole copy of \(path): \(describe(made.copy))")
    if made.isReadableByOthers {
      AdminCommands.say(
        "others on this machine can read \(file), which holds the server's keys: keep it where they cannot")
    }
  }

  static func restore(_ invocation: Invocation) throws(ServerFailure) {
    let file = invocation.argument(0) ?? "", path = try databaseFile(invocation, "restore", by: "pg_restore")
    let date = "\(LiveMoment.now())".prefix(19).filter(\.isNumber)
    let done = try AdminCommands.storing { () throws(StorageError) in
      try StoreRestoring(at: path).restore(from: file, date: String(date))
    }
    AdminCommands.say("restored \(file) to \(path): \(describe(done.copy))")
    for kept in done.kept { AdminCommands.say("the previous file is now \(kept)") }
    tell(done.blocks)
    if done.copy.activeAlerts > 0 {
      AdminCommands.say("the next start asks the responders of active alerts again, however old these are")
    }
  }

  private static func tell(_ blocks: StoreRestoring.ChangedBlocks?) {
    guard let blocks else {
      return AdminCommands.say(
        "numbers are blocked as they were when the copy was made; what was changed since cannot be read. To change one: "
          + "admin accounts block NUMBER, or admin accounts unblock NUMBER")
    }
    for phone in blocks.lifted {
      AdminCommands.say(
        "\(phone) was blocked since the copy was made, and can sign in again. To block it: admin accounts block \(phone)"
      )
    }
    for phone in blocks.restored {
      AdminCommands.say(
        "\(phone) was unblocked since the copy was made, and is blocked again. To unblock it: admin accounts unblock "
          + phone)
    }
  }

  private static func databaseFile(
    _ invocation: Invocation, _ command: String, by tool: String
  ) throws(ServerFailure) -> String {
    guard case .file(let path) = try AdminCommands.database(invocation) else {
      throw ServerFailure(
        .data, "this is for an SQLite file; for PostgreSQL use \(tool): admin \(command) --help says how")
    }
    return path
  }

  private static func describe(_ copy: StoreCopy) -> String {
    "\(counted(copy.accounts, "account")), \(counted(copy.activeAlerts, "active alert"))"
  }
}
