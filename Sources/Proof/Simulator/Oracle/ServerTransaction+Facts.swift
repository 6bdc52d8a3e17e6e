import Model
import ServerCore

extension ServerTransaction {
  /// The first result of the mutation or notification request, or nil.
  func result(of id: MutationID, account: AccountID) throws(StorageError) -> RecordedResult? {
    var needs = FactNeeds()
    needs.results = [id]
    return try facts(needs, of: account).results[id]
  }

  /// The number of queued deliveries of the account.
  func openDeliveryCount(account: AccountID) throws(StorageError) -> Int {
    var needs = FactNeeds()
    needs.openDeliveryCount = true
    return try facts(needs, of: account).openDeliveryCount
  }

  private func facts(_ needs: FactNeeds, of account: AccountID) throws(StorageError) -> AccountFacts {
    var facts = AccountFacts()
    try addFacts(needs, of: account, to: &facts)
    return facts
  }
}
