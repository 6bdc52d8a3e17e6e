import ServerCore

/// `admin alerts`.
enum AlertCommands {
  static func end(_ account: AdminAccount, isSure: Bool) throws(ServerFailure) {
    let record = try account.record()
    guard isSure else {
      throw ServerFailure(
        .usage, "nothing was ended: add --yes to tell the responders of \(account.phone) that the person is safe")
    }
    let count = try AdminCommands.storing {
      try account.admin.core.endAlerts(of: record.id, at: LiveMoment.read(), in: account.store)
    }
    guard count > 0 else { throw ServerFailure(.data, "\(account.phone) has no active alert") }
    AdminCommands.say("\(counted(count, "alert")) of \(account.phone) ended; a running server tells the responders")
  }
}
