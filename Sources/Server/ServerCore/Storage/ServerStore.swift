package import Model

/// Where the server keeps everything: embedded SQLite, or another backend that answers alike (`StoreContract`).
///
/// A transaction is whole or not at all: when `body` throws, nothing of it stays, and the error is thrown on. Errors of the
/// store itself are `StorageError`. `body` must not keep the transaction.
package protocol ServerStore: Sendable {
  /// Sees one committed state; writing in it throws.
  func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result
  /// One writer at a time. Durable when it returns.
  func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result
  /// Calls `take` from a thread of its own with what other processes change from now on, soon after. Nil where there can be none.
  func follow(_ take: @escaping @Sendable (OthersChanges) -> Void) throws(StorageError) -> (any StoreFollower)?
  /// The room on its disk; nil where that is unknown, as with a database on another machine.
  var freeBytes: UInt64? { get }
}

/// What the decision about a request needs of a store: one round trip for its facts, one for what it writes.
package protocol RequestTransaction {
  /// Whether this transaction may write.
  var isWritable: Bool { get }
  /// Fetches what `needs` names, and adds it to `facts`. All calls of one transaction see one state, which nobody else changes until
  /// it ends.
  func addFacts(_ needs: RequestNeeds, to facts: inout RequestFacts) throws(StorageError)
  /// Writes all of it, or throws.
  func apply(_ writes: RequestWrites) throws(StorageError)
}

/// All that one transaction can do, by topic.
package protocol ServerTransaction: RequestTransaction, AccountRecords, AlertRecords, DeliveryRecords, CodeRecords,
  OperatorRecords, ServerStateRecords
{
  /// Fetches the rows that `needs` names, and adds them to `facts`. All calls of one transaction see one state.
  func addFacts(_ needs: FactNeeds, of account: AccountID, to facts: inout AccountFacts) throws(StorageError)
  /// Begins to fetch what is needed of each account, and adds it to what is known. A store that is not in this process works on it while the
  /// transaction goes on; until the fetch is finished, it writes nothing of these accounts.
  func fetch(
    _ needs: [AccountID: FactNeeds], after known: [AccountID: AccountFacts]
  ) throws(StorageError) -> FactFetch
  /// Writes all of the set.
  func apply(_ writes: WriteSet) throws(StorageError)
  /// Runs `body` so that, where it throws, what it wrote is undone and the rest of the transaction stands, unless that `isLost`.
  func alone(_ body: () throws -> Void) throws
  /// Whether nothing of the transaction stands any more after `error`.
  func isLost(by error: any Error) -> Bool
}

/// Facts of accounts that are on their way.
package struct FactFetch {
  /// Waits for them.
  package let finish: () throws(StorageError) -> [AccountID: AccountFacts]

  package init(finish: @escaping () throws(StorageError) -> [AccountID: AccountFacts]) { self.finish = finish }
}

extension ServerTransaction {
  package func fetch(
    _ needs: [AccountID: FactNeeds], after known: [AccountID: AccountFacts]
  ) throws(StorageError) -> FactFetch {
    FactFetch { () throws(StorageError) in
      var (request, facts) = (RequestNeeds(), RequestFacts())
      request.accounts = needs
      facts.accounts = known
      try addFacts(request, to: &facts)
      return facts.accounts
    }
  }
}

/// Values of the server itself, by name.
package protocol ServerStateRecords {
  func serverState(_ key: String) throws(StorageError) -> [UInt8]?
  func setServerState(_ key: String, to value: [UInt8]) throws(StorageError)
}

/// Rows by kind, for `/metrics`. A store counts no more rows to answer than are active or queued.
package struct StoreCounts: Sendable, Hashable {
  /// When the first of the queued messages is due; nil where none is.
  package var earliestDue: Timestamp?
  /// Ever received.
  package var alerts = 0
  package var activeAlerts = 0
  package var queuedDeliveries = 0

  package init(
    alerts: Int = 0, activeAlerts: Int = 0, queuedDeliveries: Int = 0, earliestDue: Timestamp? = nil
  ) {
    self.earliestDue = earliestDue
    self.alerts = alerts
    self.activeAlerts = activeAlerts
    self.queuedDeliveries = queuedDeliveries
  }
}
