import Glibc
import Model
import ServerCore
import ServerHTTP
import Wire

/// `admin accounts`.
enum AccountCommands {
  static func find(_ account: AdminAccount) throws(ServerFailure) {
    let lines: [String] = try AdminCommands.storing {
      try account.store.read { transaction in
        let blocked = try transaction.blockedSince(phone: account.phone).map { ["blocked since \($0)"] } ?? []
        guard let record = try transaction.account(phone: account.phone) else { return ["no account"] + blocked }
        let name = record.profile.map { ", “\($0.name)”" } ?? ""
        return try [
          "account \(record.id)\(name), since \(record.createdAt)",
          [
            counted(transaction.contacts(of: record.id).count, "contact"),
            counted(
              transaction.alerts(of: record.id, activeOnly: true, before: nil, limit: 1000).count, "active alert"),
            counted(transaction.sessions(of: record.id, limit: 1000).count, "session"),
          ].joined(separator: ", "),
        ] + blocked
      }
    }
    for line in lines { writeLine("\(account.phone): \(line)", to: STDOUT_FILENO) }
  }

  static func block(_ account: AdminAccount) throws(ServerFailure) {
    try AdminCommands.storing {
      try account.admin.core.block(phone: account.phone, at: LiveMoment.read(), in: account.store)
    }
    AdminCommands.say("\(account.phone) is signed out everywhere, and cannot sign in")
  }

  static func unblock(_ account: AdminAccount) throws(ServerFailure) {
    try AdminCommands.storing { try account.store.write { try $0.block(phone: account.phone, since: nil) } }
    AdminCommands.say("\(account.phone) may sign in")
  }

  static func export(_ account: AdminAccount) throws(ServerFailure) {
    let record = try account.record()
    for table in AccountTable.allCases {
      let rows = try AdminCommands.storing { try account.store.read { try $0.rows(of: record.id, in: table) } }
      for row in rows { writeLine("{\"table\":\"\(table.rawValue)\",\"row\":\(row)}", to: STDOUT_FILENO) }
    }
  }

  static func remove(_ account: AdminAccount, isSure: Bool) throws(ServerFailure) {
    let record = try account.record()
    guard isSure else {
      throw ServerFailure(.usage, "nothing was removed: add --yes to remove \(account.phone) with all its data")
    }
    let core = account.admin.core, moment = LiveMoment.read()
    let rows = try AdminCommands.storing {
      let wasBlocked = try blockIfQuiet(account, record, core, moment)
      var count = 0
      try ServerCore.remove(record.id, from: account.store) { count += $1 }
      if !wasBlocked { try account.store.write { try $0.block(phone: account.phone, since: nil) } }
      return count
    }
    AdminCommands.say("the account of \(account.phone) is removed: \(counted(rows, "row"))")
  }

  /// Signs the account out, so that nothing new comes. Returns whether it was blocked before. Throws, and changes nothing, while an
  /// alert is active.
  private static func blockIfQuiet(
    _ account: AdminAccount, _ record: AccountRecord, _ core: ServerCore, _ moment: ServerMoment
  ) throws -> Bool {
    let wasBlocked = try account.store.write { transaction in
      guard try transaction.alerts(of: record.id, activeOnly: true, before: nil, limit: 1).isEmpty else {
        throw ServerFailure(
          .unavailable,
          "nothing was removed: \(account.phone) has an active alert, whose responders have to hear of its end")
      }
      let wasBlocked = try transaction.blockedSince(phone: account.phone) != nil
      try transaction.block(phone: account.phone, since: moment.now)
      return wasBlocked
    }
    try core.block(phone: account.phone, at: moment, in: account.store)
    return wasBlocked
  }
}
