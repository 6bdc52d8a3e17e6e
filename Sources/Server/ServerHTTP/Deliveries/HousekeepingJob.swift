import ServerCore

/// Removes some of what has expired, one part after the other: what is more urgent is done between them.
struct HousekeepingJob: WriteJob {
  private var parts: ArraySlice<HousekeepingPart>
  private let outbound: OutboundInbox
  private var removed = RemovedRows()
  private var failure: StorageError?

  init(_ parts: [HousekeepingPart], _ outbound: OutboundInbox) {
    self.parts = parts[...]
    self.outbound = outbound
  }

  var key: TurnKey { .housekeeping }
  var isUrgent: Bool { false }
  var isSmall: Bool { false }
  var mayHaveDeliveries: Bool { false }

  mutating func run(in transaction: any ServerTransaction) throws -> Bool {
    guard let part = parts.first else { return true }
    removed.add(try part.run(transaction))
    parts.removeFirst()
    return parts.isEmpty
  }

  mutating func fail(_ error: any Error) { failure = StorageError(wrapping: error) }

  func conclude() {
    let (removed, failure) = (removed, failure)
    outbound.post { $0.housekeeping = OutboundInbox.Housekeeping(removed: removed, failure: failure) }
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
