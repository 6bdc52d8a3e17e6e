import Model

/// Deliveries of one account that are decided about together.
struct AccountDeliveries {
  private(set) var ids: [DeliveryID] = []
  fileprivate private(set) var start: DecisionStart

  var account: AccountID { start.account }

  private init(account: AccountID) { start = DecisionStart(account: account, needs: FactNeeds()) }

  /// Of rows that this transaction has read, with which the decision begins.
  static func groups(
    of deliveries: [StoredDelivery], needs addNeeds: (StoredDelivery, inout FactNeeds) -> Void
  ) -> [Self] {
    groups(of: deliveries, \.id, \.target.account) { delivery, start in
      start.facts.deliveries[delivery.id] = delivery
      start.facts.needs.deliveries.insert(delivery.id)
      addNeeds(delivery, &start.needs)
    }
  }

  /// Of attempts that have ended. From `everything`, their rows come with what else their contacts are told.
  static func groups(of completions: [DeliveryCompletion], from scope: CompletionScope) -> [Self] {
    groups(of: completions, \.id, \.target.account) { completion, start in
      switch scope {
      case .everything: start.needs.insertRelated(to: completion.target)
      case .itsAlert, .itself: start.needs.deliveries.insert(completion.id)
      }
    }
  }

  /// One group for each account, in the order of the first of its items. Of several with one id the first counts.
  private static func groups<Item>(
    of items: [Item], _ id: (Item) -> DeliveryID, _ account: (Item) -> AccountID,
    add: (Item, inout DecisionStart) -> Void
  ) -> [Self] {
    var groups: [Self] = []
    var places: [AccountID: Int] = [:]
    var known: Set<DeliveryID> = []
    for item in items where known.insert(id(item)).inserted {
      let place = places[account(item)] ?? groups.count
      if place == groups.count {
        places[account(item)] = place
        groups.append(Self(account: account(item)))
      }
      groups[place].ids.append(id(item))
      add(item, &groups[place].start)
    }
    return groups
  }
}

/// What was decided about the deliveries of one account.
struct DeliveryDecision<Result> {
  var work: AccountWork
  /// Of each delivery.
  var results: [(delivery: DeliveryID, result: Result)]
  /// Whether devices need to hear of a change.
  var hasChanges: Bool
}

extension ServerCore {
  /// Decides about the deliveries of several accounts, and writes what `rules` change; those that are gone have no result. `take` is called
  /// with each decision after it is written, in the order of `groups`; where this throws, with those that were.
  func decide<Result>(
    about groups: [AccountDeliveries], _ moment: ServerMoment, _ transaction: any ServerTransaction,
    rules: (inout AccountWork, StoredDelivery) -> Result, take: (DeliveryDecision<Result>) -> Void = { _ in }
  ) throws(StorageError) {
    let ids = Dictionary(groups.map { ($0.account, $0.ids) }) { first, _ in first }
    try transaction.decide(about: groups.map(\.start)) { state in
      AccountWork(
        configuration: configuration, now: moment.now, state: state,
        entropy: moment.entropy.stream(for: ids[state.account]?.first?.description ?? ""))
    } rules: { work -> (results: [(delivery: DeliveryID, result: Result)], hasChanges: Bool) in
      var results: [(delivery: DeliveryID, result: Result)] = []
      for id in ids[work.account] ?? [] {
        // As the decision about the one before has left it.
        if let delivery = work.state.delivery(id) { results.append((id, rules(&work, delivery))) }
      }
      let hasChanges = work.hasChanges
      work.finish()
      return (results, hasChanges)
    } take: { result, work in
      take(DeliveryDecision(work: work, results: result.results, hasChanges: result.hasChanges))
    }
  }
}
