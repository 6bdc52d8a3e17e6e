import Model

// Writes alerts into the inboxes of responders who have accounts: one transaction for each account that is a step of its own, since in a
// divided store they lie on different machines. What must be written is remembered with the alert's own change (`WriteSet.inboxDue`).
extension ServerCore {
  /// Others wait for the writer meanwhile.
  private static let postedWithOneClaim = 8

  /// Posts the alerts of which something changed, a few with each claim.
  func postToInboxes(
    into claims: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    for source in try transaction.alertsToPost(limit: Self.postedWithOneClaim) {
      try withoutOthers(source.alert, &claims) { claims throws(StorageError) in
        try post(source, &claims, moment, transaction)
      }
      try transaction.endPosting(of: source)
    }
  }

  /// What cannot be read of one alert or of one inbox does not hold up those of others. The alert's next change tries again.
  private func withoutOthers(
    _ alert: AlertID, _ claims: inout ClaimedDeliveries,
    _ body: (inout ClaimedDeliveries) throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      try body(&claims)
    } catch let error where error.code == .unreadableValue {
      claims.unreadableAlerts.append(alert)
    }
  }

  private func post(
    _ source: AccountAlert, _ claims: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let inboxes = try transaction.responderInboxes(of: source)
    guard !inboxes.isEmpty else { return }
    let postings = try decide(about: source.account, moment, transaction) { work in
      work.postings(of: source.alert, to: inboxes, keys)
    }.0
    var told: [Contact] = []
    for posting in postings {
      try withoutOthers(source.alert, &claims) { claims throws(StorageError) in
        try write(posting, of: source, &claims, moment, transaction)
        if let contact = posting.contact { told.append(contact) }
      }
    }
    let hasReceipts = try decide(about: source.account, moment, transaction) { work in
      work.noteReceipts(of: told, about: source.alert)
    }.1
    if hasReceipts { claims.note([source.account]) }
  }

  private func write(
    _ posting: InboxPosting, of source: AccountAlert, _ claims: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let inbox = posting.inbox.account
    let (_, hasChanged) = try decide(about: inbox, moment, transaction) { work in
      work.post(posting.alert, of: source, id: keys.inboxID(of: source, in: inbox))
    }
    if let link = posting.link { try transaction.keep(link) }
    try transaction.notePosting(of: source, to: inbox, stands: posting.alert != nil)
    if hasChanged { claims.note([inbox]) }
  }

  /// Also returns whether devices of the account need to hear of a change.
  private func decide<Result>(
    about account: AccountID, _ moment: ServerMoment, _ transaction: any ServerTransaction,
    rules: (inout AccountWork) -> Result
  ) throws(StorageError) -> (Result, Bool) {
    try transaction.decide(about: account, needs: FactNeeds()) { state in
      AccountWork(
        configuration: configuration, now: moment.now, state: state,
        entropy: moment.entropy.stream(for: "inboxes of \(account)"))
    } rules: { work in
      let result = rules(&work)
      let hasChanges = work.hasChanges
      work.finish()
      return (result, hasChanges)
    }.result
  }
}
