import Glibc
import Model
import ServerCore
import ServerHTTP
import Wire

/// `admin accounts`.
enum AccountCommands {
  /// Throws if there is no account, after it told of a block.
  static func find(_ account: AdminAccount) throws(ServerFailure) {
    let record = try account.storedRecord()
    let lines: [String] = try AdminCommands.storing {
      try account.store.read { transaction in
        let blocked = try transaction.block(of: account.phone).map { [describe($0)] } ?? []
        guard let record else { return blocked }
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
    if record == nil { throw account.hasNone }
  }

  private static func describe(_ block: PhoneBlock) -> String {
    "blocked since \(block.since)"
      + (block.isForRemoval ? ", for a removal that did not finish: run “admin accounts remove” again" : "")
  }

  static func block(_ account: AdminAccount) throws(ServerFailure) {
    let active = try AdminCommands.storing {
      try account.admin.core.block(phone: account.phone, at: LiveMoment.read(), in: account.store)
    }
    AdminCommands.say("\(account.phone) is signed out everywhere and cannot sign in")
    guard active > 0 else { return }
    AdminCommands.say(
      "\(counted(active, "alert")) active: its responders are still asked. To end it: admin alerts end \(account.phone)"
    )
  }

  static func unblock(_ account: AdminAccount) throws(ServerFailure) {
    try AdminCommands.storing { try account.store.write { try $0.liftBlock(of: account.phone) } }
    AdminCommands.say("\(account.phone) can sign in")
  }

  static func export(_ account: AdminAccount) throws(ServerFailure) {
    let record = try account.record()
    let lines: [String] = try AdminCommands.storing {
      try account.store.read { transaction in
        try AccountTable.allCases.flatMap { table in
          try transaction.rows(of: record.id, in: table).map { "{\"table\":\"\(table.rawValue)\",\"row\":\($0)}" }
        }
      }
    }
    for line in lines { writeLine(line, to: STDOUT_FILENO) }
  }

  static func remove(_ account: AdminAccount, isSure: Bool) throws(ServerFailure) {
    guard let record = try account.storedRecord() else {
      let isEnded = try AdminCommands.storing { try ServerCore.endRemoval(of: account.phone, in: account.store) }
      guard isEnded else { throw account.hasNone }
      return AdminCommands.say("the account of \(account.phone) was removed before")
    }
    guard isSure else {
      throw ServerFailure(.usage, "nothing was removed: add --yes to remove \(account.phone) with all its data")
    }
    let rows = try AdminCommands.storing {
      do {
        try account.admin.core.beginRemoval(of: record, at: LiveMoment.read(), in: account.store)
      } catch let refusal as RemovalRefusal {
        throw ServerFailure(.unavailable, "nothing was removed: \(account.phone) has \(reason(refusal))")
      }
      return try ServerCore.remove(record, from: account.store)
    }
    AdminCommands.say("the account of \(account.phone) is removed: \(counted(rows, "row"))")
  }

  private static func reason(_ refusal: RemovalRefusal) -> String {
    switch refusal {
    case .activeAlert: "an active alert, and its responders must hear of the end. To end it: admin alerts end"
    case .messagesWait: "messages that responders did not get yet. Try again when a server has sent them"
    }
  }
}
