import Model
import ServerCore
import Wire

extension StoreContract {
  private struct Undo: Error {}

  static let transactionClauses: [Clause] = [
    Clause("undoes all of a transaction that throws, between its two round trips and after them") { bench in
      try bench.addAccounts()
      for writesFirst in [false, true] {
        try bench.undone { transaction in
          var facts = RequestFacts()
          var needs = RequestNeeds()
          needs.accounts = [bench.account: FactNeeds()]
          try transaction.addFacts(needs, to: &facts)
          if writesFirst { try transaction.apply(alertAndSession(bench)) }
        }
        try bench.subject.reopen()
        let facts = try bench.requestFacts {
          $0.credential = .alertKey(bench.hash(41))
          $0.accounts[bench.account] = FactNeeds()
          $0.accounts[bench.account]?.activeAlerts = 9
        }
        try expect(facts.credential == nil, "a session of an undone transaction")
        try expect(facts.accounts[bench.account]?.activeAlerts.isEmpty == true, "an alert of an undone transaction")
      }
    },
    Clause("undoes what one request of several wrote, and commits the others") { bench in
      try bench.addAccounts()
      try bench.store.write { transaction in
        try transaction.alone {
          var set = WriteSet(account: bench.account)
          set.newAlerts = [bench.alert(11)]
          try transaction.apply(set)
        }
        do {
          try transaction.alone {
            try transaction.apply(alertAndSession(bench))
            throw Undo()
          }
        } catch {
          try expect(!transaction.isLost(by: error), "a refusal loses the whole transaction")
        }
      }
      try bench.subject.reopen()
      let facts = try bench.facts { $0.activeAlerts = 9 }
      try expect(facts.activeAlerts, is: [bench.identifier(11)], "alerts")
      try expect(
        try bench.requestFacts { $0.credential = .alertKey(bench.hash(41)) }.credential == nil, "an undone session")
    },
    Clause("shows a transaction what it has written, and nobody else before the commit") { bench in
      try bench.addAccounts()
      try bench.store.write { transaction in
        var set = WriteSet(account: bench.account)
        set.newAlerts = [bench.alert(11)]
        try transaction.apply(set)
        var own = AccountFacts()
        var needs = FactNeeds()
        needs.activeAlerts = 9
        try transaction.addFacts(needs, of: bench.account, to: &own)
        try expect(own.activeAlerts.count, is: 1, "what the transaction sees")
        try expect(try bench.facts { $0.activeAlerts = 9 }.activeAlerts.count, is: 0, "what others see")
      }
      try expect(try bench.facts { $0.activeAlerts = 9 }.activeAlerts.count, is: 1, "what others see afterwards")
    },
    Clause("writes nothing in a transaction that reads") { bench in
      try bench.addAccounts()
      var failed = false
      do {
        try bench.store.read { transaction in
          try expect(!transaction.isWritable, "a reading transaction says that it may write")
          try transaction.apply(alertAndSession(bench))
        }
      } catch is StorageError {
        failed = true
      }
      try expect(failed, "a reading transaction writes")
      try expect(try bench.facts { $0.activeAlerts = 9 }.activeAlerts.isEmpty, "what it wrote is there")
    },
    Clause("keeps values of the server by name") { bench in
      try bench.store.write {
        try $0.setServerState("a", to: [1])
        try $0.setServerState("b", to: [2])
        try $0.setServerState("a", to: [3, 4])
      }
      try bench.subject.reopen()
      try expect(try bench.requestFacts { $0.serverState = "a" }.serverState, is: [3, 4], "a value")
      try expect(try bench.requestFacts { $0.serverState = "c" }.serverState, is: nil, "a value that nobody set")
    },
    Clause("answers an exchange that is sent again with the same results, and writes nothing") { bench in
      let device = try SignedIn(bench, 1)
      let body = device.exchange((1...5).map { ($0, 100 + $0) })
      let first = try device.send(body, 1)
      try bench.subject.reopen()
      let before = try bench.facts { $0.page = PageNeed(after: 0, count: 100) }
      let second = try device.send(body, 2)
      try expect(first.results.map(\.status), is: Array(repeating: .applied, count: 5), "the first answer")
      try expect(second.results.map(\.status), is: Array(repeating: .duplicate, count: 5), "the second answer")
      let after = try bench.facts { $0.page = PageNeed(after: 0, count: 100) }
      try expect(after.page.map { $0.change }, is: before.page.map { $0.change }, "the log")
      try expect(after.position, is: before.position, "the position")
    },
    Clause("forgets what was decided and not committed, and takes it when it is sent again") { bench in
      let device = try SignedIn(bench, 1)
      let body = device.exchange([(1, 101)])
      try bench.undone { transaction in
        guard case .task(var task) = try bench.core().begin(device.request(body), at: bench.moment(7)) else {
          throw Breach(description: "an exchange needs no store")
        }
        try expect(try task.run(in: transaction)?.response.status, is: 200, "the answer that never leaves")
      }
      try bench.subject.reopen()
      try expect(try bench.facts { $0.activeAlerts = 9 }.activeAlerts.isEmpty, "an alert of a lost transaction")
      try expect(try device.send(body, 8).results.map(\.status), is: [.applied], "the answer to the second sending")
    },
  ]

  private static func alertAndSession(_ bench: Bench) -> RequestWrites {
    var set = WriteSet(account: bench.account)
    set.newAlerts = [bench.alert(12)]
    var writes = RequestWrites()
    writes.accounts = [set]
    writes.newSession = bench.session(41)
    return writes
  }
}

/// A device of an account with its alert key, which talks to the core over the store on trial.
struct SignedIn: Sendable {
  let bench: Bench
  let number: Int
  private let key: (text: String, hash: [UInt8])

  /// Makes the account and the session of this number, unless they are there.
  init(_ bench: Bench, _ number: Int) throws {
    self.bench = bench
    self.number = number
    let account: AccountID = bench.identifier(number)
    key = try bench.core().keys.alertKey(of: account, bytes: [UInt8](repeating: UInt8(number), count: 32))
    var writes = RequestWrites()
    writes.newAccount = AccountRecord(
      id: account, phone: bench.phone(number), epoch: "epoch \(number)", createdAt: Bench.now)
    writes.newSession = SessionRecord(
      id: bench.identifier(40 + number), accountID: account, deviceName: "phone",
      alertKeyHash: key.hash, createdAt: Bench.now)
    try bench.write(writes)
  }

  /// The body of an exchange that raises alerts, each by a mutation of the second number.
  func exchange(_ alerts: [(alert: Int, mutation: Int)]) -> [UInt8] {
    let mutations = alerts.map { alert, mutation in
      let activation = AlertActivation(
        startedAt: Bench.now, message: "help", location: nil, isDrill: false, utcOffsetMinutes: nil)
      return SyncRequestWriter.QueuedMutation(
        id: bench.identifier(mutation), kind: .activateAlert, entityID: bench.identifier(alert), occurredAt: Bench.now,
        body: MutationBody.text(of: .activateAlert(activation)))
    }
    return SyncRequestWriter.body(
      deviceID: bench.identifier(60 + number), cursor: nil, mutations: mutations, notifications: [], limit: 10)
  }

  func request(_ body: [UInt8]) -> ServerRequest {
    ServerRequest(
      method: "POST", path: Route.sync, authorization: "Bearer \(key.text)",
      contentType: "application/json", body: body, remoteAddress: "192.0.2.1")
  }

  func send(_ body: [UInt8], _ call: Int) throws -> SyncResponse {
    let outcome = try bench.core().respond(to: request(body), at: bench.moment(call), in: bench.store)
    guard case .full(let response) = outcome.response, response.status == 200 else {
      throw StoreContract.Breach(description: "an exchange is answered with \(outcome.response)")
    }
    return try SyncResponse(jsonBytes: response.body)
  }
}
