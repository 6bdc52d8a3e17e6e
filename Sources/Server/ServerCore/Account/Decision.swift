import Model

/// One account to decide about.
struct DecisionStart {
  var account: AccountID
  /// What is known of it already, in this transaction.
  var facts = AccountFacts()
  var needs: FactNeeds
}

extension ServerTransaction {
  /// Decides about one account: fetches the facts that `needs` names, runs `rules` on them, and writes what they changed.
  ///
  /// `rules` has no store in reach. If it looks at facts that were not fetched, its result is discarded and it runs again with them, from
  /// the same randomness; so it must change only `work`.
  func decide<Result>(
    about account: AccountID, needs: FactNeeds, _ makeWork: (AccountState) -> AccountWork,
    rules: (inout AccountWork) -> Result
  ) throws(StorageError) -> (result: Result, work: AccountWork) {
    var decisions: [(result: Result, work: AccountWork)] = []
    try decide(about: [DecisionStart(account: account, needs: needs)], makeWork, rules: rules) {
      decisions.append(($0, $1))
    }
    return decisions[0]
  }

  /// Like `decide(about:needs:_:rules:)`, about several accounts, each of which is named once. `take` is called with each decision after it is
  /// written, in the order of `starts`; where this throws, with those that were.
  ///
  /// Many come in parts: while one is decided about, the store fetches the facts of the next and writes the one before.
  func decide<Result>(
    about starts: [DecisionStart], _ makeWork: (AccountState) -> AccountWork, rules: (inout AccountWork) -> Result,
    take: (Result, AccountWork) -> Void
  ) throws(StorageError) {
    let length = DecisionLimits.part(of: starts.count)
    let parts = stride(from: 0, to: starts.count, by: length).map { start in
      Array(starts[start..<min(start + length, starts.count)])
    }
    let fetches = try parts.map { part throws(StorageError) in try fetch(part) }
    for (part, fetch) in zip(parts, fetches) {
      let decisions = try decide(about: part.adding(try fetch.finish()), makeWork, rules)
      var writes = RequestWrites()
      writes.accounts = decisions.map { $0.work.writeSet() }
      try apply(writes)
      for decision in decisions { take(decision.result, decision.work) }
    }
  }

  /// Decides about accounts whose facts are fetched, and writes nothing.
  private func decide<Result>(
    about part: [DecisionStart], _ makeWork: (AccountState) -> AccountWork, _ rules: (inout AccountWork) -> Result
  ) throws(StorageError) -> [(result: Result, work: AccountWork)] {
    var decided: [AccountID: (result: Result, work: AccountWork)] = [:]
    var open = part
    for _ in 0..<DecisionLimits.rounds {
      open = open.compactMap { start in
        var work = makeWork(AccountState(account: start.account, facts: start.facts))
        let result = rules(&work)
        guard work.state.missing.isEmpty else {
          return DecisionStart(account: start.account, facts: start.facts, needs: work.state.missing)
        }
        decided[start.account] = (result, work)
        return nil
      }
      guard !open.isEmpty else { return part.compactMap { decided[$0.account] } }
      open = open.adding(try fetch(open).finish())
    }
    throw StorageError(.internalError, "a decision asks for ever more facts")
  }

  private func fetch(_ starts: [DecisionStart]) throws(StorageError) -> FactFetch {
    let needs = starts.map { ($0.account, $0.needs) }
    let known = starts.map { ($0.account, $0.facts) }
    return try fetch(
      Dictionary(needs) { first, _ in first }, after: Dictionary(known) { first, _ in first })
  }
}

extension [DecisionStart] {
  fileprivate func adding(_ facts: [AccountID: AccountFacts]) -> Self {
    map { start in
      var start = start
      start.facts = facts[start.account] ?? start.facts
      return start
    }
  }
}

enum DecisionLimits {
  /// Most decisions take one round. A fact that is needed because of another one takes one more.
  static let rounds = 8
  /// How many accounts are decided about at once, of so many: few enough that the store has something to do meanwhile, and so many that a
  /// statement costs little beside its rows.
  static func part(of count: Int) -> Int { min(64, max(8, (count + 3) / 4)) }
}
