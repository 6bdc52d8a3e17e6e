import ServerCore

/// `admin codes`.
enum CodeCommands {
  static func allow(_ account: AdminAccount) throws(ServerFailure) {
    let isBlocked = try AdminCommands.storing { try account.store.read { try $0.block(of: account.phone) != nil } }
    guard !isBlocked else {
      throw ServerFailure(.data, "\(account.phone) is blocked: see “admin accounts unblock”")
    }
    try AdminCommands.storing {
      try account.admin.core.allowCodes(to: account.phone, at: LiveMoment.read(), in: account.store)
    }
    AdminCommands.say("\(account.phone) can ask for codes again")
  }
}
