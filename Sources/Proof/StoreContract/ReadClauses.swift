import Model
import ServerCore
import Wire

extension StoreContract {
  static let readClauses: [Clause] = [
    Clause("pages through one's own alerts, all or the active ones") { bench in
      try signInBoth(bench)
      try bench.write {
        $0.newAlerts = (11...16).map { bench.alert($0, endedAt: $0.isMultiple(of: 3) ? Bench.now : nil) }
      }
      func listed(_ need: AlertListNeed) throws -> [AlertID] {
        let facts = try bench.requestFacts {
          $0.credential = .alertKey(bench.hash(41))
          $0.alertList = need
        }
        return facts.listedAlerts.map(\.alert.id)
      }
      try expect(
        try listed(.own(activeOnly: false, before: nil, limit: 2)), is: [16, 15].map { bench.identifier($0) }, "a page")
      try expect(
        try listed(.own(activeOnly: false, before: 15, limit: 9)), is: [14, 13, 12, 11].map { bench.identifier($0) },
        "the next page")
      try expect(
        try listed(.own(activeOnly: true, before: 16, limit: 3)), is: [14, 13, 11].map { bench.identifier($0) },
        "active ones")
    },
    Clause("pages through the alerts of all who named the caller as a responder, by their receipt") { bench in
      try signInBoth(bench)
      try bench.write(bench.other) {
        $0.contacts = [try bench.contact(21, phone: bench.phone(1)), try bench.contact(22, phone: bench.phone(1))]
        $0.newAlerts = [1, 3, 5].map { number in
          bench.alert(
            number, of: bench.other, endedAt: number == 5 ? Bench.now : nil,
            receivedAt: bench.after(seconds: Int64(number)))
        }
        $0.contact = WriteSet.DeviceContact(
          device: bench.device, at: bench.after(seconds: 77), deviceLimit: 9, cursorLimit: 9)
      }
      try bench.write {
        $0.newAlerts = [bench.alert(2, receivedAt: bench.after(seconds: 2))]
        $0.contacts = [try bench.contact(23, phone: bench.phone(2), isResponder: false)]
      }
      func listed(
        _ key: Int, activeOnly: Bool = true, before: ReceivedPosition? = nil, limit: Int = 9
      ) throws -> [ListedAlert] {
        let facts = try bench.requestFacts {
          $0.credential = .alertKey(bench.hash(key))
          $0.alertList = .responding(activeOnly: activeOnly, before: before, limit: limit)
        }
        return facts.listedAlerts
      }
      let all = try listed(41)
      try expect(all.map(\.alert.id), is: [3, 2, 1].map { bench.identifier($0) }, "alerts")
      try expect(all.map(\.phone), is: [2, 1, 2].map { bench.phone($0) }, "whose they are")
      try expect(
        all.map(\.lastContactAt), is: [bench.after(seconds: 77), nil, bench.after(seconds: 77)], "last contacts")
      let ended = try listed(41, activeOnly: false)
      try expect(ended.map(\.alert.id), is: [5, 3, 2, 1].map { bench.identifier($0) }, "alerts with those that ended")
      let before = ReceivedPosition(receivedAt: bench.after(seconds: 3), id: bench.identifier(3))
      try expect(try listed(41, before: before, limit: 1).map(\.alert.id), is: [bench.identifier(2)], "the next page")
      try expect(try listed(42).map(\.phone), is: [bench.phone(2), bench.phone(2)], "for one whom nobody named")
    },
    Clause("finds an alert of one's own, and of those who named the caller, with facts of its account") { bench in
      try signInBoth(bench)
      try bench.write(bench.other) {
        $0.contacts = [try bench.contact(21, phone: bench.phone(1))]
        $0.newAlerts = [bench.alert(11, of: bench.other)]
        $0.newDeliveries = [try bench.delivery(31, about: 11, to: 21, of: bench.other)]
      }
      func seen(by key: Int) throws -> RequestFacts {
        var facts = FactNeeds()
        facts.deliveriesOfAlerts = [bench.identifier(11)]
        facts.contacts = true
        return try bench.requestFacts {
          $0.credential = .alertKey(bench.hash(key))
          $0.visibleAlert = VisibleAlertNeed(bench.identifier(11), with: facts)
        }
      }
      let responder = try seen(by: 41)
      try expect(responder.ownAlert, is: nil, "an alert of one's own")
      try expect(responder.alertsNaming.map(\.alert.account), is: [bench.other], "alerts of those who named the caller")
      try expect(responder.accounts[bench.other]?.deliveries.count, is: 1, "deliveries about it")
      try expect(responder.accounts[bench.other]?.contacts.count, is: 1, "contacts of its account")
      let owner = try seen(by: 42)
      try expect(owner.ownAlert?.alert.id, is: bench.identifier(11), "the owner's alert")
      try expect(owner.alertsNaming.isEmpty, "the owner is a responder")
    },
    Clause("keeps the counts that it tells in step with what is written and what is undone") { bench in
      try bench.addAccounts()
      func counts() throws -> StoreCounts {
        let facts = try bench.requestFacts { $0.storeCounts = true }
        return facts.storeCounts
      }
      try expect(try counts(), is: StoreCounts(), "counts of an empty store")
      try bench.write {
        $0.newAlerts = [bench.alert(11), bench.alert(12), bench.alert(13, endedAt: Bench.now)]
        $0.newDeliveries = [
          try bench.delivery(31, about: 11, to: 21), try bench.delivery(32, about: 11, to: 22),
          try bench.delivery(33, about: 11, to: 23, state: .failed),
        ]
      }
      try expect(
        try counts(), is: StoreCounts(alerts: 3, activeAlerts: 2, queuedDeliveries: 2, earliestDue: Bench.now), "counts"
      )
      var notified = bench.alert(13, endedAt: Bench.now)
      notified.notifiedAt = Bench.now
      let sent = try bench.delivery(31, about: 11, to: 21, state: .sent)
      let again = try bench.delivery(33, about: 11, to: 23)
      try bench.write {
        $0.changedAlerts = [bench.alert(11, endedAt: Bench.now), notified]
        $0.changedDeliveries = [sent, again]
      }
      try expect(
        try counts(), is: StoreCounts(alerts: 3, activeAlerts: 1, queuedDeliveries: 2, earliestDue: Bench.now),
        "counts afterwards")
      try bench.undone { transaction in
        var set = WriteSet(account: bench.account)
        set.newAlerts = [bench.alert(14)]
        try transaction.apply(set)
      }
      try expect(try counts().alerts, is: 3, "alerts after an undone transaction")
    },
    Clause("shows an operator what goes on in all accounts, what is late, and which hosts fail") { bench in
      try bench.addAccounts()
      func overview(_ limit: Int = 9) throws -> OperatorOverview {
        let need = OverviewNeed(limit: limit, lateBefore: bench.after(seconds: 10))
        let facts = try bench.requestFacts { $0.overview = need }
        return facts.overview
      }
      try expect(try overview(), is: OperatorOverview(), "the overview of an empty store")
      var answered = bench.alert(11, receivedAt: bench.after(seconds: 1))
      answered.asking = Asking(phase: .answered, round: 1, tier: 1, dueAt: nil)
      var silent = bench.alert(13, of: bench.other, receivedAt: bench.after(seconds: 3))
      silent.silentSince = bench.after(seconds: 4)
      var refused = try bench.delivery(32, about: 11, to: 22, dueAt: bench.after(seconds: 5))
      (refused.attempts, refused.reason) = (3, "it answered 500")
      try bench.write {
        $0.newAlerts = [answered, bench.alert(12), bench.alert(15, endedAt: Bench.now)]
        $0.changedAlerts = [answered]
        $0.newDeliveries = [
          try bench.delivery(31, about: 11, to: 21, dueAt: bench.after(seconds: 20)), refused,
          try bench.delivery(33, about: 11, to: 23, state: .sent),
          try bench.delivery(34, about: 15, to: 21, state: .failed),
        ]
      }
      try bench.write(bench.other) {
        $0.newAlerts = [silent]
        $0.changedAlerts = [silent]
        $0.newDeliveries = [try bench.delivery(35, about: 13, to: 21, of: bench.other, state: .failed)]
      }
      let told = try overview()
      try expect(told.activeAlerts.map(\.id), is: [13, 11, 12].map { bench.identifier($0) }, "active alerts")
      try expect(told.activeAlerts.map(\.account), is: [bench.other, bench.account, bench.account], "whose they are")
      try expect(told.activeAlerts.map(\.isDrill), is: [false, false, true], "drills")
      try expect(told.activeAlerts.map(\.phase), is: [nil, .answered, nil], "their answers")
      try expect(told.activeAlerts.map(\.silentSince), is: [bench.after(seconds: 4), nil, nil], "silent devices")
      try expect(
        told.activeAlerts.map { [$0.queuedMessages, $0.sentMessages, $0.failedMessages] },
        is: [[0, 0, 1], [2, 1, 0], [0, 0, 0]], "their messages")
      try expect(told.lateMessages.map(\.id), is: [bench.identifier(32)], "late messages")
      try expect(told.lateMessages.map(\.dueAt), is: [bench.after(seconds: 5)], "when they were due")
      try expect(
        told.failingHosts,
        is: [.init(host: "a.example", messages: 1, attempts: 3, since: Bench.now, reason: "it answered 500")],
        "failing hosts")
      try expect(try overview(1).activeAlerts.map(\.id), is: [bench.identifier(13)], "as many as are asked for")
    },
  ]

  /// Accounts 1 and 2 with a session each, 41 and 42.
  private static func signInBoth(_ bench: Bench) throws {
    try bench.addAccounts()
    for (number, account) in [(41, bench.account), (42, bench.other)] {
      var writes = RequestWrites()
      writes.newSession = bench.session(number, of: account)
      try bench.write(writes)
    }
  }
}
