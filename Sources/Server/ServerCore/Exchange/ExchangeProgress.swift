import Model
import Wire

/// The results of the committed parts of a long exchange. They stand even if a later part fails.
struct ExchangeProgress: Sendable {
  private(set) var results: [ItemResult] = []
  private(set) var waiting: [WaitingItem] = []
  private(set) var hasChanges = false
  private(set) var hasQueuedDeliveries = false
  private(set) var observations: [Observation] = []

  /// Adds the outcome of a part.
  mutating func note(_ outcome: Exchange.Outcome) {
    results += outcome.response.results
    waiting += outcome.response.waiting
    hasChanges = hasChanges || outcome.hasChanges
    hasQueuedDeliveries = hasQueuedDeliveries || outcome.hasQueuedDeliveries
    observations += outcome.observations
  }
}

extension SyncRequest {
  /// Splits a request of more than `wholeLength` items into parts of about `length` items; at least one part.
  ///
  /// Items of one alert or contact stay together, in order. Contacts come first, so that an alert goes to the current responders.
  func parts(ofLength length: Int, ifLongerThan wholeLength: Int) -> [SyncRequest] {
    guard mutations.count + notifications.count > wholeLength else { return [self] }
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

  /// A request for each entity: contacts first, then in order of appearance.
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
    case .activateAlert, .updateAlert, .deactivateAlert, .putProfile, .seeInbox, .answerInbox: return false
    }
  }
}

extension ReceivedNotification {
  /// The id of the alert; of an invalid request its own id.
  fileprivate var entityID: EntityID {
    switch self {
    case .valid(let request): EntityID(request.alertID)
    case .invalid(let id, _, _): EntityID(id)
    }
  }
}
