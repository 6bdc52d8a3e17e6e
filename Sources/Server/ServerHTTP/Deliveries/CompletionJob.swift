import Model
import ServerCore

/// Records how attempts went: all at once, so that deliveries keep up with the requests that share the commit.
struct CompletionJob: WriteJob {
  private let completions: [DeliveryCompletion]
  private let context: ServerContext
  private let outbound: OutboundInbox
  private var changedAccounts: [AccountID] = []
  private var failure: StorageError?

  init(_ completions: [DeliveryCompletion], _ context: ServerContext, _ outbound: OutboundInbox) {
    self.completions = completions
    self.context = context
    self.outbound = outbound
  }

  var key: TurnKey { .deliveries }
  var isUrgent: Bool { true }
  var isSmall: Bool { true }
  /// An answer makes room for waiting messages.
  var mayHaveDeliveries: Bool { failure == nil }

  mutating func run(in transaction: any ServerTransaction) throws -> Bool {
    changedAccounts = try context.core.completeDeliveries(completions, at: context.moment(), in: transaction)
    return true
  }

  mutating func fail(_ error: any Error) { failure = StorageError(wrapping: error) }

  /// After a failure the outbound loop submits the answers again.
  func conclude() {
    let (count, failure) = (completions.count, failure)
    outbound.post { $0.written.append(OutboundInbox.Written(count: count, failure: failure)) }
    context.hub.wake(changedAccounts)
  }
}
