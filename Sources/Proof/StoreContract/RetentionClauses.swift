import Model
import ServerCore
import Wire

extension StoreContract {
  static let retentionClauses: [Clause] = [
    Clause("forgets the links to alerts that ended before a time, in steps, and nothing else of them") { bench in
      try addAlerts(bench)
      let before = try rows(bench)
      try expect(try forget(.links, limit: 1, bench), is: 1, "alerts")
      for number in [11, 13, 15] {
        let isKept = number != 13
        try expect(try bench.requestFacts { $0.page = page(number, bench).key }.page != nil, is: isKept, "a page")
        try expect(
          try bench.requestFacts { $0.answer = answer(number, bench).key }.answers.isEmpty, is: !isKept, "a code")
        let inbox = try bench.facts(of: bench.other) { $0.inbox = [bench.identifier(number + 60)] }.inbox
        try expect(inbox.count, is: isKept ? 1 : 0, "copies of \(number)")
      }
      let after = try rows(bench)
      for table in [AccountTable.deliveries, .alertUpdates, .responses, .mutations, .changes] {
        try expect(after[table], is: before[table], "\(table)")
      }
      try expect(after[.inboxPosts]?.count, is: 2, "inboxes of the others")
      try expect(try alert(13, bench)?.record, is: try ended(13, bench).record, "the alert")
      try expect(try alert(13, bench)?.forgotten, is: .links, "what is forgotten")
      try expect(try forget(.links, limit: 9, bench), is: 0, "alerts, again")
    },
    Clause("forgets where a person was, with the results of places alone, in steps") { bench in
      try addAlerts(bench)
      try expect(try forget(.places, limit: 9, bench), is: 0, "alerts of which nothing is forgotten")
      _ = try forget(.links, limit: 9, bench)
      let before = try rows(bench)
      try expect(try forget(.places, limit: 1, bench), is: 1, "alerts")
      let after = try rows(bench)
      for table in [AccountTable.deliveries, .responses, .changes, .pageLinks] {
        try expect(after[table], is: before[table], "\(table)")
      }
      // One call and two places of each alert.
      try expect(after[.alertUpdates]?.count, is: 7, "updates")
      try expect(after[.mutations]?.count, is: 10, "results")
      let updates = try bench.store.read { try $0.rows(of: bench.account, in: .alertUpdates) }
      let told = updates.filter { $0.contains(bench.text(13)) }
      try expect(told.count == 1 && told[0].contains("I moved") && !told[0].contains("48.25"), "\(told)")
      let results = try bench.facts { $0.results = Set([100, 101, 102, 103].map { bench.identifier($0 + 13 * 10) }) }
      try expect(
        Set(results.results.keys), is: Set([100, 101].map { bench.identifier($0 + 13 * 10) }), "results that stay")
      try expect(try bench.facts { $0.tracks = [bench.identifier(13)] }.tracks[bench.identifier(13)], is: [], "places")
      let record = try alert(13, bench)?.record
      try expect(record?.alert.location, is: nil, "the place")
      try expect(record?.newestLocation, is: nil, "the newest place")
      try expect(record?.alert.message, is: "help 13", "the words")
      try expect(record?.newestUpdate?.update.message, is: "I moved", "the newest words")
      for number in [11, 15] {
        try expect(
          try bench.facts { $0.tracks = [bench.identifier(number)] }.tracks[bench.identifier(number)]?.count, is: 3,
          "places of \(number)")
        try expect(try alert(number, bench)?.record.newestLocation?.latitude, is: 48.25, "the place of \(number)")
      }
    },
    Clause("forgets what an alert said and whom it told, in steps, and keeps that there was one") { bench in
      try addAlerts(bench)
      for part in [ForgottenPart.links, .content] { _ = try forget(part, limit: 9, bench) }
      try expect(try alert(13, bench)?.record.alert.message, is: "help 13", "words while the places are not forgotten")
      _ = try forget(.places, limit: 9, bench)
      try expect(try forget(.content, limit: 1, bench), is: 1, "alerts")
      try bench.subject.reopen()
      let forgotten = try alert(13, bench)
      var record = try ended(13, bench).record
      record.alert = Alert(id: record.alert.id, startedAt: record.alert.startedAt, endedAt: record.alert.endedAt)
      record.newestUpdate = nil
      try expect(forgotten?.record, is: record, "what is left of the alert")
      try expect(forgotten?.forgotten, is: .content, "what is forgotten")
      try expect(forgotten?.updateCount, is: 3, "how many updates it had")
      for table in [AccountTable.deliveries, .alertUpdates, .responses, .pageLinks, .answerCodes] {
        let rows = try bench.store.read { try $0.rows(of: bench.account, in: table) }
        try expect(!rows.isEmpty && rows.allSatisfy { !$0.contains(bench.text(13)) }, "\(table): \(rows)")
      }
      try expect(
        bench.facts { $0.words = [bench.identifier(13)] }.words, is: [:], "the words of calls")
      for number in [11, 15] {
        let words = try bench.facts { $0.words = [bench.identifier(number)] }.words[
          bench.identifier(number)]
        try expect(words?.map(\.message), is: ["I moved"], "words of \(number)")
        let facts = try bench.facts { $0.deliveriesOfAlerts = [bench.identifier(number)] }
        try expect(facts.deliveries.count, is: 2, "messages of \(number)")
        try expect(try alert(number, bench)?.record.alert.message, is: "help \(number)", "words of \(number)")
      }
    },
    Clause("keeps the change that proves cursors, and the end of a forgotten alert, in the log") { bench in
      try addAlerts(bench)
      for part in ForgottenPart.allCases { _ = try forget(part, limit: 9, before: bench.after(seconds: 100), bench) }
      let facts = try bench.facts { $0.page = PageNeed(after: 0, count: 99) }
      // The receipts of alert 15 changed last: one of them is the newest change.
      let kept = facts.page.map(\.change.entity)
      try expect(
        Set(kept),
        is: Set(
          [11, 13, 15].map { EntityKey(.alert, bench.identifier($0)) }
            + [511, 611, 615].map { EntityKey(.receipt, bench.identifier($0)) }), "the log")
      try expect(facts.newestTag, is: 9, "the newest tag")
      try expect(facts.page.last?.entity, is: .removed, "the newest entity")
      for case .alert(let record) in facts.page.map(\.entity) where record.alert.id != bench.identifier(11) {
        try expect(record.alert.endedAt != nil && record.alert.message == nil, "\(record)")
      }
    },
    Clause("forgets nothing of an alert with a queued message, or that is to be written into inboxes") { bench in
      try addAlerts(bench)
      let source = AccountAlert(account: bench.account, alert: bench.identifier(13))
      try bench.write {
        $0.contacts = [try bench.contact(28, phone: bench.phone(2))]
        $0.inboxDue = [source.alert]
        $0.newDeliveries = [try bench.delivery(77, about: 15, to: 27)]
      }
      for part in ForgottenPart.allCases {
        try expect(try forget(part, limit: 9, before: bench.after(seconds: 100), bench), is: 0, "\(part)")
      }
      try bench.store.write { try $0.endPosting(of: source) }
      try expect(try forget(.links, limit: 9, before: bench.after(seconds: 100), bench), is: 1, "alerts")
      var sent = try bench.delivery(77, about: 15, to: 27, state: .sent)
      sent.attempts = 1
      try bench.store.write { try $0.updateDelivery(sent) }
      try expect(try forget(.links, limit: 9, before: bench.after(seconds: 100), bench), is: 1, "alerts, later")
    },
    Clause("forgets an alert with more rows than a step takes, and those that ended after it") { bench in
      try bench.addAccounts()
      try bench.write { set in
        set.newAlerts = [
          bench.alert(13, endedAt: Bench.now), bench.alert(15, endedAt: bench.after(seconds: 1)),
          bench.alert(17, endedAt: bench.after(seconds: 2)),
        ]
        set.pageLinks = (1...3).map { number in
          var link = page(13, bench)
          link.key = page(100 + number, bench).key
          return link
        }
      }
      try expect(try forget(.links, limit: 2, bench), is: 3, "alerts")
      try expect(try rows(bench)[.pageLinks]?.count, is: 0, "links")
    },
    Clause("counts as before what is forgotten, and shows nobody else an alert without words") { bench in
      try addAlerts(bench)
      var writes = RequestWrites()
      writes.newSession = bench.session(44, of: bench.other)
      try bench.write(writes)
      try bench.write { $0.contacts = [try bench.contact(21, phone: bench.phone(2))] }
      func counts() throws -> StoreCounts {
        let facts = try bench.requestFacts { $0.storeCounts = true }
        return facts.storeCounts
      }
      func seen() throws -> [AlertID] {
        let facts = try bench.requestFacts {
          $0.credential = .alertKey(bench.hash(44))
          $0.alertList = .responding(activeOnly: false, before: nil, limit: 9)
        }
        return facts.listedAlerts.map(\.alert.id)
      }
      func isVisible() throws -> Bool {
        let facts = try bench.requestFacts {
          $0.credential = .alertKey(bench.hash(44))
          $0.visibleAlert = VisibleAlertNeed(bench.identifier(13), with: FactNeeds())
        }
        return !facts.alertsNaming.isEmpty
      }
      let before = try counts()
      try expect(try seen().count == 3 && isVisible(), "alerts that a responder sees")
      for part in ForgottenPart.allCases { _ = try forget(part, limit: 9, bench) }
      try expect(try counts(), is: before, "counts")
      try expect(Set(try seen()), is: [bench.identifier(11), bench.identifier(15)], "alerts that a responder sees")
      try expect(try isVisible(), is: false, "one of them")
    },
  ]

  /// Forgets in steps until nothing is left of alerts that ended before `time`, or else just before alert 15. Returns of how many alerts.
  private static func forget(
    _ part: ForgottenPart, limit: Int, before time: Timestamp? = nil, _ bench: Bench
  ) throws -> Int {
    var alerts = 0
    for _ in 1...50 {
      let step = try bench.store.write {
        try $0.forget(part, ofAlertsEndedBefore: time ?? bench.after(seconds: 50), limit: limit)
      }
      alerts += step.alerts
      // At most `limit` of each kind: three tables, and the alerts themselves.
      try expect(step.rows <= 4 * limit, "a step with a limit of \(limit) takes \(step.rows) rows")
      if !step.hasMore { return alerts }
    }
    throw Breach(description: "it never ends")
  }

  private static func rows(_ bench: Bench) throws -> [AccountTable: [String]] {
    try bench.store.read { transaction in
      try Dictionary(
        uniqueKeysWithValues: AccountTable.allCases.map { ($0, try transaction.rows(of: bench.account, in: $0)) })
    }
  }

  private static func alert(_ number: Int, _ bench: Bench) throws -> StoredAlert? {
    try bench.store.read { try $0.alert(bench.identifier(number), of: bench.account) }
  }

  /// Alert 11 is active, 13 ended at once, 15 a minute later. Each has a call, two places, two messages, an answer, a link, a code and a
  /// copy in the inbox of the other account.
  private static func addAlerts(_ bench: Bench) throws {
    try bench.addAccounts()
    for (index, number) in [11, 13, 15].enumerated() {
      let alert = try ended(number, bench)
      try bench.write { set in
        set.newAlerts = [alert]
        set.updates = try (1...3).map { try update($0, of: number, bench) }
        set.newDeliveries = try [
          bench.delivery(500 + number, about: number, to: 21, state: .sent),
          bench.delivery(600 + number, about: number, to: 22, state: .failed),
        ]
        set.responses = [
          StoredResponse(
            account: bench.account, alert: alert.id, contact: bench.identifier(21), answer: .cannot, text: "no car",
            at: Bench.now)
        ]
        set.pageLinks = [page(number, bench)]
        set.answerLinks = [answer(number, bench)]
        set.results = [100, 101, 102, 103].map {
          (bench.identifier($0 + number * 10), RecordedResult(fingerprint: 1, verdict: .applied(at: Bench.now)))
        }
        let first = Int64(3 * index) + 1
        set.changes = [
          change(first, .alert, number, bench), change(first + 1, .receipt, 500 + number, bench),
          change(first + 2, .receipt, 600 + number, bench),
        ]
        set.position = LogPosition(newestSequence: first + 2, newestOrdinal: Int64(number))
      }
      try bench.write(bench.other) { $0.inbox = [copy(of: alert, number, bench)] }
      try bench.store.write {
        try $0.notePosting(
          of: AccountAlert(account: bench.account, alert: alert.id), to: bench.other, stands: true)
      }
    }
  }

  private static func ended(_ number: Int, _ bench: Bench) throws -> StoredAlert {
    let end: Timestamp? = number == 11 ? nil : bench.after(seconds: number == 13 ? 0 : 60)
    var alert = bench.alert(number, endedAt: end)
    alert.updateCount = 3
    alert.record.newestUpdate = NewestUpdate(
      id: bench.identifier(103 + number * 10), update: try call(bench))
    return alert
  }

  private static func call(_ bench: Bench) throws -> AlertUpdate {
    AlertUpdate(
      at: bench.after(seconds: 1), message: "I moved", location: try Location(latitude: 48.25, longitude: 11),
      accuracyMeters: 5)
  }

  /// The first is a call.
  private static func update(_ index: Int, of number: Int, _ bench: Bench) throws -> StoredUpdate {
    var update = try call(bench)
    if index > 1 {
      update = AlertUpdate(at: update.at, location: update.location, accuracyMeters: 5, isCall: false)
    }
    return StoredUpdate(
      account: bench.account, alert: bench.identifier(number), number: index,
      id: bench.identifier(100 + index + number * 10), device: bench.device, update: update, receivedAt: Bench.now)
  }

  private static func page(_ number: Int, _ bench: Bench) -> PageLink {
    PageLink(
      key: PageKey(bytes: [1, UInt8(number)] + bench.hash(number)), account: bench.account,
      alert: bench.identifier(number), contact: bench.identifier(21))
  }

  private static func answer(_ number: Int, _ bench: Bench) -> AnswerLink {
    AnswerLink(
      key: AnswerKey(bytes: bench.hash(number)), account: bench.account, alert: bench.identifier(number),
      contact: bench.identifier(21))
  }

  private static func copy(of alert: StoredAlert, _ number: Int, _ bench: Bench) -> StoredInboxAlert {
    StoredInboxAlert(
      source: AccountAlert(account: bench.account, alert: alert.id),
      alert: InboxAlert(
        id: bench.identifier(number + 60), alertID: alert.id, phone: bench.phone(1), name: nil, startedAt: Bench.now,
        endedAt: alert.record.alert.endedAt, isDrill: false))
  }

  private static func change(_ sequence: Int64, _ kind: EntityKey.Kind, _ number: Int, _ bench: Bench) -> LoggedChange {
    LoggedChange(sequence: sequence, tag: UInt64(sequence), entity: EntityKey(kind, bench.identifier(number)))
  }
}

extension Bench {
  /// The id of this number as rows tell it.
  fileprivate func text(_ number: Int) -> String { (identifier(number) as AlertID).description }
}
