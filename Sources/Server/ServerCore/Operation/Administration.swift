package import Model
import Wire

// What an operator does with accounts and their messages, while servers run.
extension ServerCore {
  /// Ends the tokens and the alert key of `session`, or of all sessions, of the account. Returns how many were ended.
  package func endSessions(
    of account: AccountID, only session: SessionID? = nil, at moment: ServerMoment, in store: any ServerStore
  ) throws -> Int {
    try store.write { transaction in
      let sessions = try transaction.sessions(of: account, limit: AccountSessions.maximumSessions)
        .map(\.session.id).filter { session == nil || $0 == session }
      var writes = RequestWrites()
      writes.endedSessions = sessions.map { SessionEnd($0, at: moment.now, endsAlertKey: true) }
      try transaction.apply(writes)
      return sessions.count
    }
  }

  /// Ends all sessions of the telephone's account, if it has one, and lets nobody sign in with it.
  package func block(phone: String, at moment: ServerMoment, in store: any ServerStore) throws {
    let account = try store.write { transaction in
      try transaction.block(phone: phone, since: moment.now)
      return try transaction.account(phone: phone)
    }
    guard let account else { return }
    while try endSessions(of: account.id, at: moment, in: store) > 0 {}
  }

  /// Queues a message again that failed, or has it tried again now. False if it is on its way, got through, or is unknown.
  package func replay(
    _ id: DeliveryID, at moment: ServerMoment, in store: any ServerStore
  ) throws -> Bool {
    try store.write { transaction in
      guard let delivery = try transaction.delivery(id), delivery.isReplayable else { return false }
      _ = try decide(about: delivery, moment, transaction) { work, delivery in
        var replayed = delivery
        replayed.queueAgain(at: work.now, now: work.now)
        work.update(replayed, from: delivery)
      }
      return true
    }
  }

  /// Removes an account with all its data, a few rows in each transaction, so that others are not held up. Its telephone has to be blocked
  /// meanwhile. Calls `note` after each table with how many rows it had.
  package static func remove(
    _ account: AccountID, from store: any ServerStore, note: (AccountTable, Int) -> Void = { _, _ in }
  ) throws {
    for table in AccountTable.allCases {
      var count = 0, step = 0
      repeat {
        step = try store.write { try $0.removeRows(of: account, in: table, limit: removedAtOnce) }
        count += step
      } while step == removedAtOnce
      note(table, count)
    }
  }

  private static let removedAtOnce = 500
}

extension StoredDelivery {
  fileprivate var isReplayable: Bool {
    switch state {
    case .failed: target.channel != nil
    case .queued: !isLeased && dueAt != nil
    case .sent, .seen, .acknowledged: false
    }
  }
}
