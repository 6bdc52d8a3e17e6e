import Model
import ServerCore

// Single rows, as the clauses write them.
extension ServerTransaction {
  func keep(_ link: PageLink) throws(StorageError) {
    var writes = WriteSet(account: link.account)
    writes.pageLinks = [link]
    try apply(writes)
  }

  func keep(_ link: AnswerLink) throws(StorageError) {
    var writes = WriteSet(account: link.account)
    writes.answerLinks = [link]
    try apply(writes)
  }

  func delivery(_ id: DeliveryID, of account: AccountID) throws(StorageError) -> StoredDelivery? {
    var (needs, facts) = (FactNeeds(), AccountFacts())
    needs.deliveries = [id]
    try addFacts(needs, of: account, to: &facts)
    return facts.deliveries[id]
  }

  func updateDelivery(_ delivery: StoredDelivery) throws(StorageError) {
    var writes = WriteSet(account: delivery.target.account)
    writes.changedDeliveries = [delivery]
    try apply(writes)
  }
}
