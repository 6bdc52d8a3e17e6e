import Model

/// What the server has to hold, and everything that it ever held. A restore takes back the first, never the second.
struct ServerModel {
  private(set) var accounts: [AccountID: AccountModel] = [:]
  private(set) var history = ServerHistory()
  private var backup: [AccountID: AccountModel] = [:]
  /// Counts what the server did, so that "before" does not depend on any clock.
  private(set) var step = 0

  var accountIDs: [AccountID] { accounts.keys.sorted { $0.words < $1.words } }

  subscript(account: AccountID) -> AccountModel { accounts[account] ?? AccountModel() }

  /// Notes that the id was applied; false if it had been before.
  mutating func take(_ id: String, of account: AccountID) -> Bool {
    accounts[account, default: AccountModel()].take(id)
  }

  mutating func apply(_ mutation: Mutation, of account: AccountID, by device: DeviceID) {
    step += 1
    accounts[account, default: AccountModel()].apply(mutation, by: device, step: step)
    history.applied(mutation, of: account, by: device, step: step)
    guard mutation.change.kind.lane == .routine else { return }
    let contact = ContactID(mutation.entityID)
    history.note(contact, self[account].contacts[contact]?.details, step: step)
  }

  mutating func apply(_ request: NotificationRequest, of account: AccountID) {
    step += 1
    accounts[account, default: AccountModel()].apply(request, step: step)
    history.applied(request, step: step)
  }

  /// The answer removes the item from the device's queue, if it arrives.
  mutating func answered(_ id: String) { history.answered(id) }

  /// The answer turns the call into a new alert, if it arrives.
  mutating func refusedCall(in entity: EntityID) { history.refusedCall(in: entity, step: step) }

  /// The answer takes the end back on its device, if it arrives: that device had not seen a newer call for help.
  mutating func refusedEnd(_ id: String, of entity: EntityID) { history.refusedEnd(id, of: entity) }

  /// The answer makes the device park the item, if it arrives.
  mutating func refused(_ id: String) { history.refused(id) }

  mutating func backUp() { backup = accounts }

  mutating func restore() {
    step += 1
    let lost = accounts
    accounts = backup
    history.restored(step: step)
    for account in lost.keys.sorted(by: { $0.words < $1.words }) {
      noteContacts(lost[account] ?? AccountModel(), self[account])
    }
  }

  /// Notes the contacts that differ in the backup.
  private mutating func noteContacts(_ lost: AccountModel, _ kept: AccountModel) {
    let ids = Set(lost.contacts.keys).union(kept.contacts.keys).sorted { $0.words < $1.words }
    for id in ids where lost.contacts[id]?.details != kept.contacts[id]?.details {
      history.note(id, kept.contacts[id]?.details, step: step, isByRestore: true)
    }
  }
}

/// Everything that the server ever did, restored or not.
struct ServerHistory {
  struct EntityKind: Hashable {
    var entity: EntityID
    /// As in the queue: `alert.activate`, `notification.activated` and so on.
    var kind: String
  }

  /// An update that was applied: a call for help, or news that are none.
  struct Call {
    var id: MutationID
    var device: DeviceID
    var step: Int
    var isCall = true
  }

  struct ContactState {
    var step: Int
    /// Nil if there is none.
    var details: ContactDetails?
    /// Made by a restore and not by a person.
    var isByRestore = false
  }

  /// Answered as applied or duplicate at least once.
  private(set) var answeredIDs: Set<String> = []
  /// Answered as rejected at least once.
  private(set) var refusedIDs: Set<String> = []
  /// The step at which an item of this kind was last applied to the entity.
  private(set) var lastApplied: [EntityKind: Int] = [:]
  private(set) var contactStates: [ContactID: [ContactState]] = [:]
  private(set) var alertAccounts: [AlertID: AccountID] = [:]
  /// The mutation that first raised each alert.
  private(set) var raisings: [AlertID: Call] = [:]
  /// The applied updates, oldest first.
  private(set) var calls: [AlertID: [Call]] = [:]
  /// The step at which an update of the alert was last refused.
  private(set) var lastRefusedCall: [EntityID: Int] = [:]
  /// Ends that were refused because of a call for help that their device had not seen.
  private(set) var refusedEnds: [EntityID: Set<String>] = [:]
  /// The words of every applied call for help, including those that raised an alert. A call may have the words of several.
  private(set) var heardMessages: Set<String> = []
  /// The devices whose end of the alert was ever applied.
  private(set) var enders: [AlertID: Set<DeviceID>] = [:]
  /// The current and former channels of the account's contacts, with the contacts that had each.
  private(set) var channels: [AccountID: [String: Set<ContactID>]] = [:]
  private(set) var lastRestore: Int?

  var wasRestored: Bool { lastRestore != nil }

  func everApplied(_ kind: String, _ entity: EntityID) -> Bool {
    lastApplied[EntityKind(entity: entity, kind: kind)] != nil
  }

  /// Whether the server has an end of it, or had one before a restore.
  func everEnded(_ alert: AlertID) -> Bool { enders[alert] != nil }

  mutating func answered(_ id: String) { answeredIDs.insert(id) }

  mutating func refused(_ id: String) { refusedIDs.insert(id) }

  mutating func refusedCall(in entity: EntityID, step: Int) { lastRefusedCall[entity] = step }

  mutating func refusedEnd(_ id: String, of entity: EntityID) { refusedEnds[entity, default: []].insert(id) }

  mutating func applied(_ mutation: Mutation, of account: AccountID, by device: DeviceID, step: Int) {
    lastApplied[EntityKind(entity: mutation.entityID, kind: mutation.change.kind.rawValue)] = step
    switch mutation.change {
    case .activateAlert(let activation):
      let alert = AlertID(mutation.entityID)
      alertAccounts[alert] = account
      if raisings[alert] == nil { raisings[alert] = Call(id: mutation.id, device: device, step: step) }
      hear(activation.message)
    case .updateAlert(let update):
      calls[AlertID(mutation.entityID), default: []].append(
        Call(id: mutation.id, device: device, step: step, isCall: update.isCall))
      hear(update.message)
    case .deactivateAlert: enders[AlertID(mutation.entityID), default: []].insert(device)
    case .putContact(let details):
      for channel in details.channels {
        channels[account, default: [:]][channel.url, default: []].insert(ContactID(mutation.entityID))
      }
    case .removeContact, .putProfile, .seeInbox, .answerInbox: break
    }
  }

  private mutating func hear(_ message: String?) {
    heardMessages.formUnion((message ?? "").split(separator: " / ").map(String.init))
  }

  mutating func applied(_ request: NotificationRequest, step: Int) {
    let kind = "notification.\(request.notice.rawValue)"
    lastApplied[EntityKind(entity: EntityID(request.alertID), kind: kind)] = step
  }

  mutating func note(_ contact: ContactID, _ details: ContactDetails?, step: Int, isByRestore: Bool = false) {
    contactStates[contact, default: []].append(
      ContactState(step: step, details: details, isByRestore: isByRestore))
  }

  mutating func restored(step: Int) { lastRestore = step }
}
