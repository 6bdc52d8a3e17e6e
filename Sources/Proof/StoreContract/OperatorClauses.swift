import Model
import ServerCore
import Wire

extension StoreContract {
  static let operatorClauses: [Clause] = [
    Clause("blocks and unblocks a telephone, with and without an account") { bench in
      try bench.addAccounts()
      for number in [1, 3] {
        let phone = bench.phone(number)
        var writes = RequestWrites()
        writes.newVerification = VerificationRecord(
          id: "v\(number)", phone: phone, codeHash: bench.hash(number), createdAt: Bench.now, resendAt: Bench.now,
          expiresAt: bench.after(seconds: 600))
        try bench.write(writes)
        try expect(
          try bench.requestFacts { $0.verification = "v\(number)" }.isVerifiedPhoneBlocked, is: false, "blocked")
        try expect(try bench.requestFacts { $0.block = phone }.isBlocked, is: false, "blocked, before a code")
        func block() throws -> PhoneBlock? { try bench.store.read { try $0.block(of: phone) } }
        for (seconds, isForRemoval) in [(5, true), (7, false), (9, true)] as [(Int64, Bool)] {
          let added = PhoneBlock(since: bench.after(seconds: seconds), isForRemoval: isForRemoval)
          try bench.store.write { try $0.addBlock(added, of: phone) }
          let wanted = PhoneBlock(since: bench.after(seconds: 5), isForRemoval: seconds == 5)
          try expect(try block(), is: wanted, "the first block, or the operator's")
        }
        try expect(
          try bench.requestFacts { $0.verification = "v\(number)" }.isVerifiedPhoneBlocked, is: true, "blocked")
        try expect(try bench.requestFacts { $0.block = phone }.isBlocked, is: true, "blocked, before a code")
        try expect(
          try bench.requestFacts { $0.block = bench.phone(2) }.isBlocked, is: false, "blocked, of another number")
        try bench.store.write { try $0.liftBlock(of: phone) }
        try expect(try block(), is: nil, "the lifted block")
        try expect(try bench.requestFacts { $0.block = phone }.isBlocked, is: false, "blocked, after it was lifted")
      }
    },
    Clause("lets a number have codes again that used up its own, and no other") { bench in
      let core = try bench.core()
      func ask(_ phone: String, _ minute: Int64) throws -> Int {
        let request = ServerRequest(
          method: "POST", path: Route.verifications, contentType: "application/json",
          body: VerificationRequest(phone: phone, region: nil).json(), remoteAddress: "192.0.2.1")
        let moment = bench.moment(Int(minute), at: bench.after(seconds: 60 * minute))
        return core.respond(to: request, at: moment, in: bench.store).response.status
      }
      // One fewer from one network than to one number.
      let phones = ["+12025550123", "+12025550188"]
      for (index, phone) in phones.enumerated() {
        for minute in 0..<4 { try expect(try ask(phone, Int64(10 * index + minute)), is: 201, "a code") }
        try expect(try ask(phone, Int64(10 * index + 4)), is: 429, "a code too many")
      }
      try core.allowCodes(to: phones[0], at: bench.moment(1, at: bench.after(seconds: 1200)), in: bench.store)
      try bench.subject.reopen()
      try expect(try ask(phones[0], 21), is: 201, "a code after the limits were lifted")
      try expect(try ask(phones[1], 22), is: 429, "a code to another number")
    },
    Clause("ends all sessions of an account, or one") { bench in
      try addPeople(bench)
      let core = try bench.core()
      let session: SessionID = bench.identifier(42)
      func ids() throws -> [SessionID] {
        try bench.store.read { try $0.sessions(of: bench.account, limit: 9).map(\.session.id) }
      }
      try expect(try ids(), is: [43, 42, 41].map { bench.identifier($0) }, "sessions, newest first")
      let one = try core.endSessions(of: bench.account, only: session, at: bench.moment(1), in: bench.store)
      try expect(one, is: 1, "ended")
      try expect(try ids(), is: [43, 41].map { bench.identifier($0) }, "the other sessions")
      try expect(
        try core.block(phone: bench.phone(1), at: bench.moment(2), in: bench.store), is: 1, "alerts that stay active")
      try expect(try ids(), is: [], "sessions of a blocked number")
      try expect(try bench.store.read { try $0.sessions(of: bench.other, limit: 9).count }, is: 1, "another's sessions")
    },
    Clause("lists the messages that fail, and sends one again") { bench in
      try addPeople(bench)
      func failing() throws -> [FailingMessage] { try bench.store.read { try $0.failingMessages(limit: 9) } }
      // 51 waits for its first attempt, 52 failed once, 53 for good, 54 too, of an alert that is over; 55 was sent; 56 failed because its
      // contact was taken away.
      try expect(try failing().map(\.id), is: [52, 53].map { bench.identifier($0) }, "failing messages")
      let failed = try failing()[1]
      try expect(failed.alert, is: AccountAlert(account: bench.account, alert: bench.identifier(11)), "its alert")
      try expect(failed.host, is: "a.example", "its host")
      try expect(failed.reason, is: "no such address", "its reason")
      try expect(failed.state == .failed && failed.dueAt == nil && failed.attempts == 3, "\(failed)")
      let core = try bench.core()
      for (number, isQueued) in [(52, true), (53, true), (55, false), (56, false), (99, false)] {
        let done = try core.replay(
          bench.identifier(number), at: bench.moment(number, at: bench.after(seconds: 60)), in: bench.store)
        try expect(done, is: isQueued, "message \(number) is queued again")
      }
      let again = try bench.store.read { try $0.delivery(bench.identifier(53), of: bench.account) }
      try expect(again?.state, is: .queued, "a message that failed for good")
      try expect(again?.dueAt, is: bench.after(seconds: 60), "when it is due")
      let due = try bench.store.write {
        try $0.dueDeliveries(
          at: bench.after(seconds: 60), limit: 9, inFlight: InFlightLimits(perHost: 9, perAccount: 9))
      }
      try expect(Set(due.deliveries.map(\.id)), is: Set([51, 52, 53].map { bench.identifier($0) }), "due messages")
      try expect(try failing().map(\.id), is: [], "failing messages")
    },
    Clause("tells all rows of an account without keys and hashes, and removes them in steps") { bench in
      try addPeople(bench)
      func rows(_ table: AccountTable, of account: AccountID? = nil) throws -> [String] {
        try bench.store.read { try $0.rows(of: account ?? bench.account, in: table) }
      }
      for table in AccountTable.allCases {
        for row in try rows(table) {
          try expect(row.first == "{" && row.last == "}", "\(table): \(row)")
          for secret in ["hash", "salt", "\"key\""] { try expect(!row.contains(secret), "\(table) tells a \(secret)") }
        }
      }
      try expect(try rows(.contacts).first?.contains("Ana 21") == true, "no contact is told")
      try expect(try rows(.deliveries).count, is: 6, "messages")
      try expect(
        try bench.store.write { try $0.removeRows(of: bench.account, in: .deliveries, limit: 2) }, is: 2, "a step")
      try expect(try rows(.deliveries).count, is: 4, "messages after a step")
      let record = try bench.store.read { try $0.account(phone: bench.phone(1)) }
      guard let record else { throw Breach(description: "the account is gone") }
      _ = try ServerCore.remove(record, from: bench.store)
      try bench.subject.reopen()
      for table in AccountTable.allCases { try expect(try rows(table), is: [], "\(table)") }
      let left = try bench.requestFacts {
        $0.page = PageKey(bytes: [1, 1] + bench.hash(1))
        $0.answer = AnswerKey(bytes: bench.hash(1))
      }
      try expect(left.page == nil && left.answers.isEmpty, "links of a removed account are left")
      try expect(try bench.store.read { try $0.account(phone: bench.phone(1)) }?.id, is: nil, "the account")
      try expect(try rows(.accounts, of: bench.other).count, is: 1, "another's account")
      try expect(try rows(.sessions, of: bench.other).count, is: 1, "another's sessions")
      let counts = try bench.requestFacts { $0.storeCounts = true }.storeCounts
      try expect(counts.activeAlerts == 0 && counts.queuedDeliveries == 0, "counts: \(counts)")
      var writes = RequestWrites()
      writes.newAccount = AccountRecord(
        id: bench.identifier(7), phone: bench.phone(1), epoch: "e", createdAt: Bench.now)
      try bench.write(writes)
    },
    Clause("begins no removal while responders have to hear of an alert, and ends alerts for a lost device") { bench in
      try addPeople(bench)
      let core = try bench.core()
      let record = try bench.store.read { try $0.account(phone: bench.phone(1)) }
      guard let record else { throw Breach(description: "the account is gone") }
      func refusal() throws -> RemovalRefusal? {
        do {
          try core.beginRemoval(of: record, at: bench.moment(1), in: bench.store)
          return nil
        } catch let refusal as RemovalRefusal {
          return refusal
        }
      }
      try expect(try refusal(), is: .activeAlert, "while an alert is active")
      try expect(try core.endAlerts(of: record.id, at: bench.moment(2), in: bench.store), is: 1, "ended")
      try expect(try core.endAlerts(of: record.id, at: bench.moment(3), in: bench.store), is: 0, "ended again")
      let told = try bench.store.read { try $0.deliveries(of: bench.identifier(11), account: record.id) }
      try expect(
        told.contains { $0.notice == .deactivated && $0.target.contact == bench.identifier(25) },
        "nobody is told of the end")
      try expect(try refusal(), is: .messagesWait, "while messages wait")
      try expect(
        try bench.store.read { try $0.sessions(of: record.id, limit: 9).count }, is: 3, "sessions after a refusal")
      try expect(try bench.store.read { try $0.block(of: bench.phone(1)) }, is: nil, "a block after a refusal")
      for table in [.deliveries, .inboxDue] as [AccountTable] {
        _ = try bench.store.write { try $0.removeRows(of: record.id, in: table, limit: 99) }
      }
      try expect(try refusal(), is: nil, "when all is told")
      try expect(try bench.store.read { try $0.sessions(of: record.id, limit: 9).count }, is: 0, "sessions")
      try expect(
        try bench.store.read { try $0.block(of: bench.phone(1)) }?.isForRemoval, is: true, "the block of a removal")
      try expect(try ServerCore.endRemoval(of: bench.phone(1), in: bench.store), is: true, "the end of a removal")
      try expect(try ServerCore.endRemoval(of: bench.phone(1), in: bench.store), is: false, "the end of no removal")
    },
  ]

  /// The first account has three sessions, an active and an ended alert, and five messages; the other has a session.
  private static func addPeople(_ bench: Bench) throws {
    try bench.addAccounts()
    for number in [41, 42, 43, 44] {
      var writes = RequestWrites()
      writes.newSession = bench.session(number, of: number == 44 ? bench.other : bench.account)
      writes.newTokens = bench.tokens(10 * number, session: number)
      try bench.write(writes)
    }
    try bench.write {
      $0.newAlerts = [bench.alert(11), bench.alert(13, endedAt: Bench.now)]
      $0.contacts = [
        try bench.contact(21, phone: bench.phone(2)), try responder(22, bench), try responder(23, bench),
      ]
      $0.newDeliveries = try [
        bench.delivery(51, about: 11, to: 21), retried(52, bench), failed(53, about: 11, bench),
        failed(54, about: 13, bench),
        bench.delivery(55, about: 11, to: 25, state: .sent), dropped(56, bench),
      ]
      $0.results = [(bench.identifier(31), RecordedResult(fingerprint: 1, verdict: .applied(at: Bench.now)))]
      $0.responses = [
        StoredResponse(
          account: bench.account, alert: bench.identifier(11), contact: bench.identifier(21), answer: .responding,
          text: nil, at: Bench.now)
      ]
      $0.changes = [LoggedChange(sequence: 1, tag: 1, entity: EntityKey(.alert, bench.identifier(11)))]
      $0.position = LogPosition(newestSequence: 1, newestOrdinal: 13)
      $0.inboxDue = [bench.identifier(11)]
      $0.pageLinks = [
        PageLink(
          key: PageKey(bytes: [1, 1] + bench.hash(1)), account: bench.account, alert: bench.identifier(11),
          contact: bench.identifier(21))
      ]
      $0.answerLinks = [
        AnswerLink(
          key: AnswerKey(bytes: bench.hash(1)), account: bench.account, alert: bench.identifier(11),
          contact: bench.identifier(21))
      ]
    }
  }

  /// With the channel of the bench's messages.
  private static func responder(_ number: Int, _ bench: Bench) throws -> Contact {
    Contact(
      id: bench.identifier(number),
      details: try ContactDetails(
        name: "Ben \(number)", phone: "+12025550177", isResponder: true, isDependent: false,
        channels: [Channel("https://a.example/\(number)")]))
  }

  private static func dropped(_ number: Int, _ bench: Bench) throws -> StoredDelivery {
    var delivery = try bench.delivery(number, about: 11, to: 24, state: .failed)
    delivery.attempts = 1
    delivery.reason = "the contact was removed"
    delivery.isDropped = true
    return delivery
  }

  private static func retried(_ number: Int, _ bench: Bench) throws -> StoredDelivery {
    var delivery = try bench.delivery(number, about: 11, to: 22, dueAt: bench.after(seconds: 300))
    delivery.attempts = 1
    delivery.reason = "answered 500"
    return delivery
  }

  private static func failed(_ number: Int, about alert: Int, _ bench: Bench) throws -> StoredDelivery {
    var delivery = try bench.delivery(number, about: alert, to: 23, state: .failed)
    delivery.attempts = 3
    delivery.reason = "no such address"
    return delivery
  }
}
