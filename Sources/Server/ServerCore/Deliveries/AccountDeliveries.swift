import Model

/// Deliveries of one account that are decided about together.
struct AccountDeliveries {
  let account: AccountID
  private(set) var deliveries: [StoredDelivery]

  /// One group for each account, in the order of the first of its deliveries. Of several with one id the first counts.
  static func groups(of deliveries: [StoredDelivery]) -> [Self] {
    var groups: [Self] = []
    var places: [AccountID: Int] = [:]
    var known: Set<DeliveryID> = []
    for delivery in deliveries where known.insert(delivery.id).inserted {
      let account = delivery.target.account
      if let place = places[account] {
        groups[place].deliveries.append(delivery)
      } else {
        places[account] = groups.count
        groups.append(Self(account: account, deliveries: [delivery]))
      }
    }
    return groups
  }

  /// The decision begins with these rows, which this transaction has read.
  fileprivate func start(_ addNeeds: (StoredDelivery, inout FactNeeds) -> Void) -> DecisionStart {
    var start = DecisionStart(account: account, needs: FactNeeds())
    for delivery in deliveries {
      start.facts.deliveries[delivery.id] = delivery
      start.facts.needs.deliveries.insert(delivery.id)
      addNeeds(delivery, &start.needs)
    }
    return start
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
  /// Decides about the deliveries of several accounts, which this transaction has read, and writes what `rules` change. `take` is called with
  /// each decision after it is written, in the order of `groups`; where this throws, with those that were.
  func decide<Result>(
    about groups: [AccountDeliveries], _ moment: ServerMoment, _ transaction: any ServerTransaction,
    needs addNeeds: (StoredDelivery, inout FactNeeds) -> Void,
    rules: (inout AccountWork, StoredDelivery) -> Result, take: (DeliveryDecision<Result>) -> Void = { _ in }
  ) throws(StorageError) {
    let ids = Dictionary(groups.map { ($0.account, $0.deliveries.map(\.id)) }) { first, _ in first }
    try transaction.decide(about: groups.map { $0.start(addNeeds) }) { state in
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
