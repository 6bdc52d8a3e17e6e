import Model
import Wire

/// How far a long exchange is: the parts that were committed, each with results that stand whatever becomes of the rest.
///
/// What belongs to one alert or one contact stays together, in its order; contacts come first, as an alert's responders are to be
/// the newest ones.
struct ExchangeProgress: Sendable {
  /// So many items make a part, unless those of one entity are more.
  static let partLength = 16

  private(set) var results: [ItemResult] = []
  private(set) var waiting: [WaitingItem] = []
  private(set) var isUnfinished = false
  private(set) var hasChanges = false
  private(set) var hasQueuedDeliveries = false
  /// What is left of the request; nil before it was read.
  private var parts: ArraySlice<SyncRequest>?

  /// The part that comes next; the whole request where it is short. The last one brings the answer.
  mutating func nextPart(
    of request: () throws(Problem) -> SyncRequest
  ) throws(Problem) -> (part: SyncRequest, isLast: Bool) {
    var left: ArraySlice<SyncRequest>
    if let parts { left = parts } else { left = try request().parts(ofLength: Self.partLength)[...] }
    guard let part = left.popFirst() else { throw Problem(.internalError, "an exchange has no part left") }
    parts = left
    return (part, left.isEmpty)
  }

  /// Notes what came of a part.
  mutating func note(_ outcome: Exchange.Outcome, isLast: Bool) {
    results += outcome.response.results
    waiting += outcome.response.waiting
    hasChanges = hasChanges || outcome.hasChanges
    hasQueuedDeliveries = hasQueuedDeliveries || outcome.hasQueuedDeliveries
    isUnfinished = !isLast
  }
}

extension SyncRequest {
  /// The request in parts of about so many items; at least one.
  fileprivate func parts(ofLength length: Int) -> [SyncRequest] {
    guard mutations.count + notifications.count > length else { return [self] }
    var parts: [SyncRequest] = []
    for group in groups {
      if let last = parts.last, last.itemCount + group.itemCount <= length {
        parts[parts.count - 1].mutations += group.mutations
        parts[parts.count - 1].notifications += group.notifications
      } else {
        parts.append(group)
      }
    }
    return parts
  }

  private var itemCount: Int { mutations.count + notifications.count }

  /// A request for each entity, contacts first, then by which comes first.
  private var groups: [SyncRequest] {
    var empty = self
    empty.mutations = []
    empty.notifications = []
    var groups: [SyncRequest] = []
    var places: [EntityID: Int] = [:]
    func place(_ entity: EntityID) -> Int {
      if let place = places[entity] { return place }
      places[entity] = groups.count
      groups.append(empty)
      return groups.count - 1
    }
    let (contacts, others) = (mutations.filter(\.isOfContact), mutations.filter { !$0.isOfContact })
    for mutation in contacts + others { groups[place(mutation.entityID)].mutations.append(mutation) }
    for notification in notifications { groups[place(notification.entityID)].notifications.append(notification) }
    return groups
  }
}

extension ReceivedMutation {
  fileprivate var isOfContact: Bool {
    guard case .valid(let mutation) = self else { return false }
    switch mutation.change {
    case .putContact, .removeContact: return true
    case .activateAlert, .updateAlert, .deactivateAlert: return false
    }
  }
}

extension ReceivedNotification {
  /// The alert's; of one that cannot be read its own.
  fileprivate var entityID: EntityID {
    switch self {
    case .valid(let request): EntityID(request.alertID)
    case .invalid(let id, _, _): EntityID(id)
    }
  }
}
