import Model

extension ServerTransaction {
  /// Decides about one account: fetches the facts that `needs` names, runs `rules` on them, and writes what they changed.
  ///
  /// `rules` has no store in reach. If it looks at facts that were not fetched, its result is discarded and it runs again with them, from
  /// the same randomness; so it must change only `work`.
  func decide<Result>(
    about account: AccountID, needs: FactNeeds, _ makeWork: (AccountState) -> AccountWork,
    rules: (inout AccountWork) -> Result, writes: (AccountWork, Result) -> WriteSet = { work, _ in work.writeSet() }
  ) throws(StorageError) -> (result: Result, work: AccountWork) {
    var facts = AccountFacts()
    var missing = needs
    for _ in 0..<DecisionLimits.rounds {
      try addFacts(missing, of: account, to: &facts)
      var work = makeWork(AccountState(account: account, facts: facts))
      let result = rules(&work)
      missing = work.state.missing
      guard missing.isEmpty else { continue }
      try apply(writes(work, result))
      return (result, work)
    }
    throw StorageError(.internalError, "a decision asks for ever more facts")
  }
}

enum DecisionLimits {
  /// Most decisions take one round. A fact that is needed because of another one takes one more.
  static let rounds = 8
}
