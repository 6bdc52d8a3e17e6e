import Model
import ServerCore
import Wire

extension StoreContract {
  static let inboxClauses: [Clause] = [
    Clause("gives back an alert in an inbox, and what the log says of it") { bench in
      try bench.addAccounts()
      var stored = entry(11, bench)
      try bench.write {
        $0.inbox = [stored]
        $0.changes = [
          change(stored, 1), LoggedChange(sequence: 2, tag: 2, entity: EntityKey(.inbox, bench.identifier(77))),
        ]
        $0.position = LogPosition(newestSequence: 2)
      }
      try bench.subject.reopen()
      try expect(known(stored.alert.id, of: bench.account, bench), is: stored, "the alert")
      try expect(known(stored.alert.id, of: bench.other, bench), is: nil, "the alert in another inbox")
      let page = try bench.facts { $0.page = PageNeed(after: 0, count: 9) }.page
      try expect(page.map(\.entity), is: [.inbox(stored.alert), .removed], "the log")
      stored.alert.askedAgain = 3
      stored.alert.response = InboxAlert.Response(
        InboxAnswer(.onMyWay, text: "two minutes"), at: bench.after(seconds: 9))
      try bench.write { $0.inbox = [stored] }
      try expect(known(stored.alert.id, of: bench.account, bench), is: stored, "the alert as it was written last")
      try bench.write { $0.removedInbox = [stored.alert.id] }
      try expect(known(stored.alert.id, of: bench.account, bench), is: nil, "the alert after it was removed")
    },
    Clause("remembers which alerts are to be written into inboxes") { bench in
      try bench.addAccounts()
      let alerts: [AlertID] = [bench.identifier(11), bench.identifier(12)]
      try bench.write { $0.contacts = [try bench.contact(21, phone: bench.phone(2))] }
      for _ in 1...2 { try bench.write { $0.inboxDue = alerts } }
      try bench.subject.reopen()
      let source = AccountAlert(account: bench.account, alert: alerts[0])
      try bench.store.write { transaction in
        try expect(Set(try transaction.alertsToPost(limit: 9).map(\.alert)), is: Set(alerts), "what is due")
        try expect(try transaction.alertsToPost(limit: 1).count, is: 1, "no more than asked for")
        try transaction.endPosting(of: source)
        try expect(try transaction.alertsToPost(limit: 9).map(\.alert), is: [alerts[1]], "the rest")
      }
    },
    Clause("marks no alert that has no inbox to be written into") { bench in
      try bench.addAccounts()
      let source = AccountAlert(account: bench.account, alert: bench.identifier(11))
      func marked(_ change: (inout WriteSet) throws -> Void) throws -> [AccountAlert] {
        try bench.write {
          try change(&$0)
          $0.inboxDue = [source.alert]
        }
        return try bench.store.write { transaction in
          let due = try transaction.alertsToPost(limit: 9)
          for alert in due { try transaction.endPosting(of: alert) }
          return due
        }
      }
      try expect(try marked { $0.contacts = [try bench.contact(21, phone: "+12025550177")] }, is: [], "no account")
      try expect(
        try marked { $0.contacts = [try bench.contact(22, phone: bench.phone(2), isResponder: false)] }, is: [],
        "no responder")
      try expect(
        try marked { $0.contacts = [try bench.contact(22, phone: bench.phone(2))] }, is: [source],
        "one who becomes a responder with the same change")
      try expect(try marked { $0.removedContacts = [bench.identifier(22)] }, is: [], "one who was removed")
      try bench.store.write { try $0.notePosting(of: source, to: bench.other, stands: true) }
      try expect(try marked { _ in }, is: [source], "where it stands in an inbox")
    },
    Clause("finds the inboxes of responders, and those where an alert stands") { bench in
      try bench.addAccounts()
      let source = AccountAlert(account: bench.account, alert: bench.identifier(11))
      let inbox = ResponderInbox(account: bench.other, phone: bench.phone(2))
      func inboxes() throws -> [ResponderInbox] { try bench.store.read { try $0.responderInboxes(of: source) } }
      try bench.write {
        $0.contacts = [
          try bench.contact(21, phone: bench.phone(1)),
          try bench.contact(22, phone: bench.phone(2), isResponder: false),
          try bench.contact(23, phone: "+12025550177"),
        ]
      }
      try expect(try inboxes(), is: [], "neither one's own, nor of one who is no responder, nor without an account")
      try bench.write { $0.contacts = [try bench.contact(22, phone: bench.phone(2))] }
      try expect(try inboxes(), is: [inbox], "of a responder")
      try bench.write { $0.removedContacts = [bench.identifier(22)] }
      try expect(try inboxes(), is: [], "of one who was removed")
      try bench.store.write { for _ in 1...2 { try $0.notePosting(of: source, to: bench.other, stands: true) } }
      try expect(try inboxes(), is: [inbox], "where it stands")
      try bench.write { $0.contacts = [try bench.contact(23, phone: "+12025550178")] }
      let due = try bench.store.read { try $0.alertsToPost(limit: 9) }
      try expect(due, is: [source], "what stands in the inbox of one who is no responder")
      try bench.store.write { try $0.notePosting(of: source, to: bench.other, stands: false) }
      try expect(try inboxes(), is: [], "where it no longer stands")
    },
    Clause("marks the active alerts of those who name a new account's number as their responder's") { bench in
      var writes = RequestWrites()
      writes.newAccount = AccountRecord(id: bench.account, phone: bench.phone(1), epoch: "e", createdAt: Bench.now)
      try bench.write(writes)
      var told = bench.alert(11)
      told.notifiedAt = Bench.now
      var over = bench.alert(13, endedAt: Bench.now)
      over.notifiedAt = Bench.now
      try bench.write {
        $0.contacts = [try bench.contact(22, phone: bench.phone(2))]
        $0.newAlerts = [told, over, bench.alert(15)]
      }
      writes.newAccount = AccountRecord(id: bench.other, phone: bench.phone(2), epoch: "e", createdAt: Bench.now)
      try bench.write(writes)
      let due = try bench.store.read { try $0.alertsToPost(limit: 9) }
      try expect(due, is: [AccountAlert(account: bench.account, alert: told.id)], "what is due")
    },
    Clause("removes what ended long ago from inboxes, a few at a time") { bench in
      try bench.addAccounts()
      let entries = [
        // The device that told an end may have had any time.
        entry(11, bench), entry(12, bench, endedAt: Timestamp(milliseconds: -1)),
        entry(13, bench, endedAt: bench.after(seconds: 9)),
      ]
      try bench.write { $0.inbox = entries }
      let expiry = Expiry(
        codes: Bench.now, rateCounts: Bench.now, replacedTokens: Bench.now, expiredTokens: Bench.now,
        endedSessions: Bench.now, endedInbox: bench.after(seconds: 10))
      func remove() throws -> Int { try bench.store.write { try $0.removeExpired(expiry, limit: 1) } }
      try expect([try remove(), try remove(), try remove()], is: [1, 1, 0], "removed rows")
      try expect(known(entries[0].alert.id, of: bench.account, bench), is: entries[0], "the active one")
    },
  ]

  private static func entry(_ number: Int, _ bench: Bench, endedAt: Timestamp? = nil) -> StoredInboxAlert {
    var alert = InboxAlert(
      id: bench.identifier(number), alertID: bench.identifier(number), phone: bench.phone(2), name: "Zoë 🧗",
      startedAt: Bench.now, endedAt: endedAt, isDrill: false)
    alert.message = "help\n\"\(number)\""
    alert.earlierMessages = [InboxAlert.EarlierMessage("it \"hurts\"", at: Bench.now)]
    alert.hasMoreMessages = true
    alert.comers = ["Ana", "Ben"]
    alert.pageURL = "https://server.example/a/x"
    return StoredInboxAlert(source: AccountAlert(account: bench.other, alert: bench.identifier(number)), alert: alert)
  }

  private static func change(_ stored: StoredInboxAlert, _ sequence: Int64) -> LoggedChange {
    LoggedChange(sequence: sequence, tag: UInt64(sequence), entity: EntityKey(.inbox, EntityID(stored.alert.id)))
  }

  private static func known(_ id: InboxID, of account: AccountID, _ bench: Bench) throws -> StoredInboxAlert? {
    try bench.facts(of: account) { $0.inbox = [id] }.inbox[id]
  }
}
