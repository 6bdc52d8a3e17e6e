package import Model
import Wire

// What an operator does with accounts and their messages, while servers run.
extension ServerCore {
  /// Ends the active alerts of the account, as its devices would, and tells their responders that the person is safe. Returns how many.
  package func endAlerts(
    of account: AccountID, at moment: ServerMoment, in store: any ServerStore
  ) throws -> Int {
    try store.write { transaction in
      try transaction.decide(about: account, needs: FactNeeds()) { state in
        AccountWork(
          configuration: configuration, now: moment.now, state: state, entropy: moment.entropy.stream(for: "end"))
      } rules: { work in
        let alerts = work.state.activeAlerts(limit: AccountState.activeAlertLimit)
        for alert in alerts where work.end(alert.id, at: moment.now, correctedAt: nil) {
          if let ended = work.state.alert(alert.id) { work.tell(.deactivated, of: ended) }
        }
        work.finish()
        return alerts.count
      }.result
    }
  }

  /// Ends the tokens and the alert key of `session`, or of all sessions, of the account. Returns how many were ended.
  package func endSessions(
    of account: AccountID, only session: SessionID? = nil, at moment: ServerMoment, in store: any ServerStore
  ) throws -> Int {
    try store.write { try endSessions(of: account, only: session, at: moment, in: $0) }
  }

  @discardableResult
  private func endSessions(
    of account: AccountID, only session: SessionID? = nil, at moment: ServerMoment,
    in transaction: any ServerTransaction
  ) throws -> Int {
    let sessions = try transaction.sessions(of: account, limit: .max).map(\.session.id)
    let ended = sessions.filter { session == nil || $0 == session }
    var writes = RequestWrites()
    writes.endedSessions = ended.map { SessionEnd($0, at: moment.now, endsAlertKey: true) }
    try transaction.apply(writes)
    return ended.count
  }

  /// Ends all sessions of the telephone's account, if it has one, and lets nobody sign in with it. Returns how many alerts stay active.
  package func block(phone: String, at moment: ServerMoment, in store: any ServerStore) throws -> Int {
    try store.write { transaction in
      try transaction.addBlock(PhoneBlock(since: moment.now), of: phone)
      guard let account = try transaction.account(phone: phone) else { return 0 }
      try endSessions(of: account.id, at: moment, in: transaction)
      return try transaction.alerts(of: account.id, activeOnly: true, before: nil, limit: .max).count
    }
  }

  /// Lets a number have codes again that used up its own: those that it asked for until now do not count any more. The limits on an address, a
  /// network, a country and all together stay, and so does the minute between two codes.
  package func allowCodes(to phone: String, at moment: ServerMoment, in store: any ServerStore) throws {
    var writes = RequestWrites()
    writes.rateCounts = [CodeLimits.lift(of: phone, keys).step(at: moment.now)]
    try store.write { try $0.apply(writes) }
  }

  /// Queues a message again that failed, or has it tried again now. False if it is on its way, got through, is unknown, its contact no longer
  /// has this channel, or the page that it links to is gone.
  package func replay(
    _ id: DeliveryID, at moment: ServerMoment, in store: any ServerStore
  ) throws -> Bool {
    try store.write { transaction in
      guard let delivery = try transaction.replayableDelivery(id), delivery.isReplayable,
        try transaction.hasChannel(of: delivery),
        try transaction.alert(delivery.target.alert, of: delivery.target.account)?.forgotten == nil
      else { return false }
      let groups = AccountDeliveries.groups(of: [delivery]) { $1.insertRelated(to: $0.target) }
      try decide(about: groups, moment, transaction) { work, delivery in
        var replayed = delivery
        replayed.queueAgain(at: work.now, now: work.now)
        work.update(replayed, from: delivery)
      }
      return true
    }
  }

  /// Signs the account out everywhere, and lets nobody sign in with its telephone until `remove` is done. Throws `RemovalRefusal`, and changes
  /// nothing, while responders have to hear of an alert, or of its end.
  package func beginRemoval(
    of account: AccountRecord, at moment: ServerMoment, in store: any ServerStore
  ) throws {
    try store.write { transaction in
      let active = try transaction.alerts(of: account.id, activeOnly: true, before: nil, limit: 1)
      guard active.isEmpty else { throw RemovalRefusal.activeAlert }
      var (needs, facts) = (FactNeeds(), AccountFacts())
      needs.openDeliveryCount = true
      try transaction.addFacts(needs, of: account.id, to: &facts)
      let isPosted = try transaction.rows(of: account.id, in: .inboxDue).isEmpty
      guard facts.openDeliveryCount == 0, isPosted else { throw RemovalRefusal.messagesWait }
      try transaction.addBlock(PhoneBlock(since: moment.now, isForRemoval: true), of: account.phone)
      try endSessions(of: account.id, at: moment, in: transaction)
    }
  }

  /// Removes an account whose removal has begun, with all its data, a few rows in each transaction, so that others are not held up. Returns
  /// how many rows it had. Wherever it is interrupted, it can be done again.
  package static func remove(_ account: AccountRecord, from store: any ServerStore) throws -> Int {
    var count = 0
    for table in AccountTable.allCases {
      var step = 0
      repeat {
        step = try store.write { try $0.removeRows(of: account.id, in: table, limit: removedAtOnce) }
        count += step
      } while step == removedAtOnce
    }
    try endRemoval(of: account.phone, in: store)
    return count
  }

  /// People may sign in with the telephone again, unless the operator blocked it. False if no removal had begun.
  @discardableResult
  package static func endRemoval(of phone: String, in store: any ServerStore) throws -> Bool {
    try store.write { transaction in
      guard try transaction.block(of: phone)?.isForRemoval == true else { return false }
      try transaction.liftBlock(of: phone)
      return true
    }
  }

  private static let removedAtOnce = 500
}

/// Why an account cannot be removed yet.
package enum RemovalRefusal: Error {
  /// Its responders have to hear of the end.
  case activeAlert
  /// Responders have not heard of everything.
  case messagesWait
}

extension ServerTransaction {
  fileprivate func hasChannel(of delivery: StoredDelivery) throws(StorageError) -> Bool {
    guard let channel = delivery.target.channel,
      let contact = try contact(delivery.target.contact, of: delivery.target.account)
    else { return false }
    return contact.isResponder && contact.channels.contains(channel)
  }
}

extension StoredDelivery {
  fileprivate var isReplayable: Bool {
    switch state {
    case .failed: !isDropped
    case .queued: !isDropped && !isLeased && dueAt != nil
    case .sent, .seen, .acknowledged: false
    }
  }
}
