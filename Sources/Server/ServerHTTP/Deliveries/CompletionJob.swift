import ServerCore

/// Records how attempts went: all at once, so that deliveries keep up with the requests that share the commit.
struct CompletionJob: WriteJob {
  private let answers: [OutboundAnswer]
  private let context: ServerContext
  private let outbound: OutboundInbox
  private var recorded = RecordedAnswers()
  private var failure: StorageError?

  init(_ answers: [OutboundAnswer], _ context: ServerContext, _ outbound: OutboundInbox) {
    self.answers = answers
    self.context = context
    self.outbound = outbound
  }

  var key: TurnKey { .deliveries }
  var isUrgent: Bool { true }
  var isSmall: Bool { true }
  /// An answer makes room for waiting messages.
  var mayHaveDeliveries: Bool { failure == nil }

  mutating func run(in transaction: any ServerTransaction) throws -> Bool {
    recorded = try OutboundAnswer.record(answers, at: context.moment(), context.core, in: transaction)
    return true
  }

  mutating func fail(_ error: any Error) { failure = StorageError(wrapping: error) }

  /// After a failure the outbound loop submits the answers again.
  func conclude() {
    let (count, failure) = (answers.count, failure)
    outbound.post { $0.written.append(OutboundInbox.Written(count: count, failure: failure)) }
    guard failure == nil else { return }
    context.conclude(recorded)
  }
}

extension ServerContext {
  /// Does what follows the commit of answers.
  func conclude(_ recorded: RecordedAnswers) {
    note(recorded.observations)
    note(recorded.codeNotes)
    hub.wake(recorded.changedAccounts)
  }
}
