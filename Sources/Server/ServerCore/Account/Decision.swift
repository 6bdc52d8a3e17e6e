import Model

extension ServerTransaction {
  /// Decides about one account: fetches the facts that `needs` names, runs `rules` on them, and writes what they changed.
  ///
  /// `rules` sees no store. Where it looks at what was not fetched, its result is dropped and it runs again, from the same randomness,
  /// with those facts too; so it must not touch anything but `work`.
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
  /// Most decisions take one. What a rule looks at only because of what another found takes one more.
  static let rounds = 8
}
