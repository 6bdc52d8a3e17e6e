import Model

// Writes alerts into the inboxes of responders who have accounts: one transaction for each account that is a step of its own, since in a
// divided store they lie on different machines. What must be written is remembered with the alert's own change (`WriteSet.inboxDue`).
extension ServerCore {
  /// How many alerts, and about how many copies, are written with one claim: others wait for the writer meanwhile.
  private static let alertsWithOneClaim = 64
  private static let copiesWithOneClaim = 100

  /// Posts the alerts of which something changed, the longest due first. What does not fit is due at once again.
  func postToInboxes(
    into claims: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    var copies = 0
    for source in try transaction.alertsToPost(limit: Self.alertsWithOneClaim) where copies < Self.copiesWithOneClaim {
      try withoutOthers(source.alert, &claims, transaction) { claims throws(StorageError) in
        copies += try post(source, &claims, moment, transaction)
      }
      try transaction.endPosting(of: source)
    }
  }

  /// What fails of one alert, or of one inbox, is undone, and holds up nothing else: no message of anybody. The alert's next change tries
  /// again.
  private func withoutOthers(
    _ alert: AlertID, _ claims: inout ClaimedDeliveries, _ transaction: any ServerTransaction,
    _ body: (inout ClaimedDeliveries) throws(StorageError) -> Void
  ) throws(StorageError) {
    var done = claims
    do {
      try transaction.alone { try body(&done) }
      claims = done
    } catch {
      let failure = StorageError(wrapping: error)
      // It passes: then all of it is tried again.
      if transaction.isLost(by: error) || failure.passes { throw failure }
      claims.unpostedAlerts.append(alert)
    }
  }

  /// Returns the number of inboxes that it looked at.
  private func post(
    _ source: AccountAlert, _ claims: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) -> Int {
    let inboxes = try transaction.responderInboxes(of: source)
    guard !inboxes.isEmpty else { return 0 }
    let postings = try decide(about: source.account, on: source, moment, transaction) { work in
      work.postings(of: source.alert, to: inboxes, keys)
    }.0
    var told: [(contact: Contact, link: PageLink?)] = []
    for posting in postings {
      try withoutOthers(source.alert, &claims, transaction) { claims throws(StorageError) in
        try write(posting, of: source, &claims, moment, transaction)
        if let contact = posting.contact { told.append((contact, posting.link)) }
      }
    }
    let hasReceipts = try decide(about: source.account, on: source, moment, transaction) { work in
      work.state.pageLinks += told.compactMap(\.link)
      work.noteReceipts(of: told.map(\.contact), about: source.alert)
    }.1
    if hasReceipts { claims.note([source.account]) }
    return inboxes.count
  }

  private func write(
    _ posting: InboxPosting, of source: AccountAlert, _ claims: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let inbox = posting.inbox.account
    let (_, hasChanged) = try decide(about: inbox, on: source, moment, transaction) { work in
      work.post(posting.alert, of: source, id: keys.inboxID(of: source, in: inbox))
    }
    try transaction.notePosting(of: source, to: inbox, stands: posting.alert != nil)
    if hasChanged { claims.note([inbox]) }
  }

  /// Also returns whether devices of the account need to hear of a change. The randomness is that of `source` in this claim: an account
  /// may have several alerts in one, and no two of its rows the same id.
  private func decide<Result>(
    about account: AccountID, on source: AccountAlert, _ moment: ServerMoment, _ transaction: any ServerTransaction,
    rules: (inout AccountWork) -> Result
  ) throws(StorageError) -> (Result, Bool) {
    try transaction.decide(about: account, needs: FactNeeds()) { state in
      AccountWork(
        configuration: configuration, now: moment.now, state: state,
        entropy: moment.entropy.stream(for: "inboxes of \(source.account) \(source.alert)"))
    } rules: { work in
      let result = rules(&work)
      let hasChanges = work.hasChanges
      work.finish()
      return (result, hasChanges)
    }.result
  }
}
