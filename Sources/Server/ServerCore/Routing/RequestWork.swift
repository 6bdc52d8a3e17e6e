package import Model
package import Secrets
import Wire

/// A request while it is decided: the facts, the writes, and what the shell must do after the commit.
///
/// No store is in reach.
package struct RequestWork {
  package let configuration: ServerConfiguration
  package let keys: ServerKeys
  /// The server's wall clock.
  package let now: Timestamp
  package let facts: RequestFacts
  /// Randomness for this request.
  package var entropy: Entropy
  /// Facts that a rule looked at and were not fetched. The request is then decided again with them.
  private(set) var missing = RequestNeeds()

  package var writes = RequestWrites()
  /// Results of the earlier parts of a long exchange.
  var progress: ExchangeProgress
  package var changedAccounts: [AccountID] = []
  package var hasNewDeliveries = false
  package var codes: [CodeMessage] = []
  /// A line for the operator's log: why this request failed. Never a token, a code or a number.
  package var remark: String?
  package var observations: [Observation] = []

  init(_ core: ServerCore, _ facts: RequestFacts, _ progress: ExchangeProgress, now: Timestamp, entropy: Entropy) {
    configuration = core.configuration
    keys = core.keys
    self.facts = facts
    self.progress = progress
    self.now = now
    self.entropy = entropy
  }

  /// Ends the session's tokens, and its alert key where `endsAlertKey`. Its event streams end after the commit.
  mutating func endSession(_ session: SessionID, endsAlertKey: Bool) {
    writes.endedSessions.append(SessionEnd(session, at: now, endsAlertKey: endsAlertKey))
  }

  /// How long until the limit allows one more, at least 1 ms; nil where it does now. Its counts are fetched where a rule looks at them.
  mutating func waitMilliseconds(for limit: RateLimit) -> Int64? {
    let need = limit.need(at: now)
    if facts.rateCounts[need] == nil { missing.rateCounts.insert(need) }
    return limit.waitMilliseconds(facts.rateCounts[need] ?? [], at: now)
  }

  /// Runs `rules` on the facts of one account. Facts that they look at and were not fetched are added to `missing`.
  mutating func decide<Result>(about account: AccountID, rules: (inout AccountWork) -> Result) -> Result {
    let state = AccountState(account: account, facts: facts.accounts[account] ?? AccountFacts())
    var work = AccountWork(configuration: configuration, now: now, state: state, entropy: entropy)
    let result = rules(&work)
    if !work.state.missing.isEmpty { missing.accounts[account, default: FactNeeds()].formUnion(work.state.missing) }
    return result
  }

  /// Like `decide`, and writes what `rules` change. No rule may run on this account afterwards.
  mutating func change<Result>(_ account: AccountID, rules: (inout AccountWork) -> Result) -> Result {
    let outcome = decide(about: account) { work in
      let result = rules(&work)
      let hasChanges = work.hasChanges || !work.state.changedResponses.isEmpty || !work.state.inboxDue.isEmpty
      work.finish()
      return (
        result: result, writes: work.writeSet(), hasChanges: hasChanges,
        hasQueuedDeliveries: work.hasQueuedDeliveries, observations: work.observations
      )
    }
    guard outcome.hasChanges else { return outcome.result }
    writes.accounts.append(outcome.writes)
    changedAccounts.append(account)
    observations += outcome.observations
    if outcome.hasQueuedDeliveries { hasNewDeliveries = true }
    return outcome.result
  }
}
