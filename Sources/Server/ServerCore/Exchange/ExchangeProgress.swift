import Model
import Wire

/// How far a long exchange is: the parts that were committed, each with results that stand whatever becomes of the rest.
///
/// Only exchanges of nothing but contacts are cut: what belongs to an alert stays in one transaction.
struct ExchangeProgress: Sendable {
  /// Contacts are edited in parts of so many.
  static let partLength = 20

  private(set) var results: [ItemResult] = []
  private(set) var waiting: [WaitingItem] = []
  /// Entities with an item that was not applied: what follows it of the same entity is left alone.
  private(set) var blocked: Set<EntityID> = []
  private(set) var isUnfinished = false
  private(set) var hasChanges = false
  private(set) var hasQueuedDeliveries = false
  private var doneCount = 0

  /// The part that comes next; the whole request where it is not long. The last one brings the answer.
  mutating func nextPart(of request: SyncRequest) -> (part: SyncRequest, isLast: Bool) {
    guard request.isOfManyContacts else { return (request, true) }
    var part = request
    let end = min(doneCount + Self.partLength, request.mutations.count)
    part.mutations = Array(request.mutations[doneCount..<end])
    doneCount = end
    return (part, end == request.mutations.count)
  }

  /// Notes what came of a part; `isLast` with what the answer gives of the parts before.
  mutating func note(_ outcome: Exchange.Outcome, isLast: Bool) {
    results += outcome.response.results
    waiting += outcome.response.waiting
    blocked = outcome.blocked
    hasChanges = hasChanges || outcome.hasChanges
    hasQueuedDeliveries = hasQueuedDeliveries || outcome.hasQueuedDeliveries
    isUnfinished = !isLast
  }
}

extension SyncRequest {
  fileprivate var isOfManyContacts: Bool {
    guard notifications.isEmpty, mutations.count > ExchangeProgress.partLength else { return false }
    return mutations.allSatisfy {
      guard case .valid(let mutation) = $0 else { return false }
      switch mutation.change {
      case .putContact, .removeContact: return true
      case .activateAlert, .updateAlert, .deactivateAlert: return false
      }
    }
  }
}
