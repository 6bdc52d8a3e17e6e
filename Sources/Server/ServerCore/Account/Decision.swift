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
    let decisions = try decide(about: [DecisionStart(account: account, needs: needs)], makeWork, rules: rules)
    return decisions[0]
  }

  /// Like `decide(about:needs:_:rules:)`, about several accounts at once: what they need is fetched together, and written together. Each
  /// is named once. The decisions come in the order of `starts`.
  func decide<Result>(
    about starts: [DecisionStart], _ makeWork: (AccountState) -> AccountWork, rules: (inout AccountWork) -> Result
  ) throws(StorageError) -> [(result: Result, work: AccountWork)] {
    var decided: [AccountID: (result: Result, work: AccountWork)] = [:]
    var open = starts
    for _ in 0..<DecisionLimits.rounds where !open.isEmpty {
      try fetchNeeds(of: &open)
      open = open.compactMap { start in
        var work = makeWork(AccountState(account: start.account, facts: start.facts))
        let result = rules(&work)
        guard work.state.missing.isEmpty else {
          return DecisionStart(account: start.account, facts: start.facts, needs: work.state.missing)
        }
        decided[start.account] = (result, work)
        return nil
      }
    }
    guard open.isEmpty else { throw StorageError(.internalError, "a decision asks for ever more facts") }
    let decisions = starts.compactMap { decided[$0.account] }
    var writes = RequestWrites()
    writes.accounts = decisions.map { $0.work.writeSet() }
    try apply(writes)
    return decisions
  }

  private func fetchNeeds(of starts: inout [DecisionStart]) throws(StorageError) {
    var (needs, facts) = (RequestNeeds(), RequestFacts())
    for start in starts {
      needs.accounts[start.account] = start.needs
      facts.accounts[start.account] = start.facts
    }
    try addFacts(needs, to: &facts)
    for place in starts.indices { starts[place].facts = facts.accounts[starts[place].account] ?? starts[place].facts }
  }
}

enum DecisionLimits {
  /// Most decisions take one round. A fact that is needed because of another one takes one more.
  static let rounds = 8
}
