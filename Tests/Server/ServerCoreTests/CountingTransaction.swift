import ServerCore

/// Counts the calls that a decision makes on a transaction.
struct CountingTransaction: RequestTransaction {
  final class Count {
    var roundTrips = 0
  }

  let transaction: any RequestTransaction
  let count = Count()

  var isWritable: Bool { transaction.isWritable }

  func addFacts(_ needs: RequestNeeds, to facts: inout RequestFacts) throws(StorageError) {
    count.roundTrips += 1
    try transaction.addFacts(needs, to: &facts)
  }

  func apply(_ writes: RequestWrites) throws(StorageError) {
    count.roundTrips += 1
    try transaction.apply(writes)
  }
}
