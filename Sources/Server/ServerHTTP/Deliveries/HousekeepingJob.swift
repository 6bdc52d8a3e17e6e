import ServerCore

/// Goes on with a round of housekeeping: finishes one part after the other, up to one that has more to do after a step. What is more urgent is
/// done between the steps.
struct HousekeepingJob: WriteJob {
  private var parts: [HousekeepingPart]
  private let outbound: OutboundInbox
  private var removed = RemovedRows()
  private var failure: StorageError?

  init(_ parts: [HousekeepingPart], _ outbound: OutboundInbox) {
    self.parts = parts
    self.outbound = outbound
  }

  var key: TurnKey { .housekeeping }
  var isUrgent: Bool { false }
  var isSmall: Bool { false }
  var mayHaveDeliveries: Bool { false }

  mutating func run(in transaction: any ServerTransaction) throws -> Bool {
    guard let part = parts.first else { return true }
    var step = RemovedRows()
    do {
      try transaction.alone { step = try part.run(transaction) }
    } catch {
      if transaction.isLost(by: error) { throw error }
      // It holds up no other part, and is tried again with the next round.
      failure = StorageError(wrapping: error)
      step = RemovedRows()
    }
    removed.add(step)
    guard !step.hasMore else { return true }
    parts.removeFirst()
    return parts.isEmpty
  }

  /// The rest waits for the next round.
  mutating func fail(_ error: any Error) {
    failure = StorageError(wrapping: error)
    removed = RemovedRows()
    parts = []
  }

  func conclude() {
    let report = OutboundInbox.Housekeeping(removed: removed, unfinished: parts, failure: failure)
    outbound.post { $0.housekeeping = report }
  }
}

extension RemovedRows {
  /// Writes it into the log.
  func tell(_ context: ServerContext) {
    if expired > 0 { context.log("removed \(expired) rows that had expired", .info) }
    for part in ForgottenPart.allCases {
      guard let count = alerts[part] else { continue }
      context.log("\(part.told) of ended alerts are forgotten", .info, ["alerts": "\(count)"])
    }
  }
}

extension ForgottenPart {
  fileprivate var told: String {
    switch self {
    case .links: "the links"
    case .places: "the places"
    case .content: "the words and messages"
    }
  }
}
