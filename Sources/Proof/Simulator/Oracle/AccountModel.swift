import Model

/// The expected state of one account, built from the server's own answers: the reference for what the server and the devices
/// show.
struct AccountModel {
  struct ModelAlert {
    var alert: Alert
    /// The step of the model (`ServerModel.step`) at which it ended.
    var endedAt: Int?
    /// The steps at which the responders were first to be told of it, and of its end.
    var notifiedAt: Int?
    var endNotifiedAt: Int?
    /// The further calls for help that it took, and the news that are none, oldest first.
    var calls: [ServerHistory.Call] = []
    /// The newest message, from whichever call gave one.
    var newestMessage: String?
    /// The newest place at the newest call, and those that were told since.
    var newestLocations: [Location]

    var isActive: Bool { alert.isActive }
    /// Whether it is an active real alert of which responders were to be told.
    var isCall: Bool { isActive && !alert.isDrill && notifiedAt != nil }
  }

  struct ModelContact {
    var details: ContactDetails
    var changedAt: Int
  }

  private(set) var alerts: [AlertID: ModelAlert] = [:]
  /// In the order in which the server received them.
  private(set) var alertIDs: [AlertID] = []
  private(set) var contacts: [ContactID: ModelContact] = [:]
  private(set) var profile: Profile?
  /// The ids of mutations and notification requests that were applied.
  private(set) var applied: Set<String> = []
  private(set) var appliedInOrder: [String] = []

  var contactsByID: [Contact] {
    contacts.map { Contact(id: $0.key, details: $0.value.details) }.sorted { $0.id.words < $1.id.words }
  }

  /// Notes that the id was applied; false if it had been before.
  mutating func take(_ id: String) -> Bool {
    guard applied.insert(id).inserted else { return false }
    appliedInOrder.append(id)
    return true
  }

  mutating func apply(_ mutation: Mutation, by device: DeviceID, step: Int) {
    switch mutation.change {
    case .activateAlert(let activation): raise(AlertID(mutation.entityID), activation, step: step)
    case .updateAlert(let update):
      call(
        again: update, in: AlertID(mutation.entityID),
        ServerHistory.Call(id: mutation.id, device: device, step: step, isCall: update.isCall))
    case .deactivateAlert(let end): self.end(AlertID(mutation.entityID), at: end.endedAt, step: step)
    case .putContact(let details): put(ContactID(mutation.entityID), details, step: step)
    case .removeContact: contacts[ContactID(mutation.entityID)] = nil
    case .putProfile(let profile): self.profile = profile
    // What they do to the alerts of others, receipts tell.
    case .seeInbox, .answerInbox: break
    }
  }

  mutating func apply(_ request: NotificationRequest, step: Int) {
    guard var alert = alerts[request.alertID] else { return }
    alert.notifiedAt = alert.notifiedAt ?? step
    if request.notice == .deactivated { alert.endNotifiedAt = alert.endNotifiedAt ?? step }
    alerts[request.alertID] = alert
  }

  /// An alert that exists keeps its start and all other fields.
  private mutating func raise(_ id: AlertID, _ activation: AlertActivation, step: Int) {
    guard alerts[id] == nil else { return }
    alerts[id] = ModelAlert(
      alert: Alert(
        id: id, startedAt: activation.startedAt, message: activation.message, location: activation.location,
        isDrill: activation.isDrill, onlyContact: activation.onlyContact),
      newestMessage: activation.message, newestLocations: activation.location.map { [$0] } ?? [])
    alertIDs.append(id)
  }

  private mutating func call(again update: AlertUpdate, in id: AlertID, _ call: ServerHistory.Call) {
    guard var alert = alerts[id] else { return }
    alert.calls.append(call)
    alert.newestMessage = update.message ?? alert.newestMessage
    // What is no call is shown on the page, and nobody is sent a message for it.
    if call.isCall {
      alert.newestLocations = update.location.map { [$0] } ?? alert.newestLocations.suffix(1)
    } else if let place = update.location {
      alert.newestLocations.append(place)
    }
    if call.isCall { alert.notifiedAt = alert.notifiedAt ?? call.step }
    alerts[id] = alert
  }

  /// The first end wins.
  private mutating func end(_ id: AlertID, at time: Timestamp, step: Int) {
    guard var alert = alerts[id], alert.alert.end(at: time) else { return }
    alert.endedAt = step
    alerts[id] = alert
  }

  private mutating func put(_ id: ContactID, _ details: ContactDetails, step: Int) {
    guard contacts[id]?.details != details else { return }
    contacts[id] = ModelContact(details: details, changedAt: step)
  }
}
