import Model
import Wire

/// Updates the model with the server's answers, and checks that they fit it (I3, I7).
struct ServerChecks {
  let account: AccountID
  let now: Int64
  /// Something was applied.
  private(set) var hasChanged = false

  init(account: AccountID, now: Int64) {
    self.account = account
    self.now = now
  }

  /// - Parameter isHeard: the answer was given, and may remove the items from the device's queue.
  mutating func take(
    _ results: [ItemResult], to request: SyncRequest, _ server: inout ServerModel, _ owners: inout Owners,
    _ findings: inout Findings, isHeard: Bool = true
  ) {
    var mutations = Dictionary(
      request.mutations.map { ($0.id.description, $0) }, uniquingKeysWith: { first, _ in first })
    var notifications = Dictionary(
      request.notifications.map { ($0.id.description, $0) }, uniquingKeysWith: { first, _ in first })
    // In the order of the results, in which the server applied the items.
    var answered: Set<String> = []
    for result in results {
      if !answered.insert(result.id).inserted {
        findings.add(.once, "\(result.id) has two results in one exchange", at: now)
      } else if let mutation = mutations.removeValue(forKey: result.id) {
        take(result, of: mutation, by: request.deviceID, &server, &owners, &findings, isHeard)
      } else if let notification = notifications.removeValue(forKey: result.id) {
        take(result, of: notification, by: request.deviceID, &server, &findings, isHeard)
      } else {
        findings.add(.once, "\(result.id) has a result and was not sent", at: now)
      }
    }
  }

  private mutating func take(
    _ result: ItemResult, of item: ReceivedMutation, by device: DeviceID, _ server: inout ServerModel,
    _ owners: inout Owners, _ findings: inout Findings, _ isHeard: Bool
  ) {
    guard isConsistent(result, server, &findings) else { return }
    if result.status == .rejected {
      let isAllowed = RefusalChecks(account: server[account], device: device).allows(result, of: item)
      refuse(result, "\(item.kind) of \(item.entityID)", isAllowed, &server, &findings)
      if case .valid(let mutation) = item, isAllowed { noteRefusal(result, of: mutation, &server) }
    } else {
      mark(result, &server, isHeard)
      guard result.status == .applied, case .valid(let mutation) = item else { return }
      apply(mutation, by: device, &server, &owners, &findings)
    }
  }

  private mutating func take(
    _ result: ItemResult, of item: ReceivedNotification, by device: DeviceID, _ server: inout ServerModel,
    _ findings: inout Findings, _ isHeard: Bool
  ) {
    guard isConsistent(result, server, &findings) else { return }
    if result.status == .rejected {
      let isAllowed = RefusalChecks(account: server[account], device: device).allows(result, of: item)
      refuse(result, "notification request", isAllowed, &server, &findings)
    } else {
      mark(result, &server, isHeard)
      guard result.status == .applied, case .valid(let request) = item else { return }
      apply(request, &server, &findings)
    }
  }

  private func refuse(
    _ result: ItemResult, _ item: String, _ isAllowed: Bool, _ server: inout ServerModel, _ findings: inout Findings
  ) {
    server.refused(result.id)
    guard !isAllowed else { return }
    findings.add(
      .nothingLost, "the server refused \(item) \(result.id) as \(result.code ?? "no code"), and had no reason to",
      at: now)
  }

  /// Notes what the device does with the refusal if the answer arrives: it turns a call for help into a new alert, or takes an
  /// end back.
  private func noteRefusal(_ result: ItemResult, of mutation: Mutation, _ server: inout ServerModel) {
    switch mutation.change {
    case .updateAlert: server.refusedCall(in: mutation.entityID)
    case .deactivateAlert where result.code == ItemResult.newerCallForHelp:
      server.refusedEnd(result.id, of: mutation.entityID)
    case .activateAlert, .deactivateAlert, .putContact, .removeContact, .putProfile, .seeInbox, .answerInbox: break
    }
  }

  /// Whether the result fits the earlier results of the id: an applied one is new, a duplicate was applied before.
  private func isConsistent(_ result: ItemResult, _ server: ServerModel, _ findings: inout Findings) -> Bool {
    let isKnown = server[account].applied.contains(result.id)
    switch result.status {
    case .applied where isKnown:
      findings.add(.once, "the server applied \(result.id) a second time", at: now)
      return false
    case .duplicate where !isKnown:
      findings.add(.once, "\(result.id) was called a duplicate, and was never applied", at: now)
      return false
    case .rejected where result.code == "mutation_id_reused":
      findings.add(.once, "two different items have the id \(result.id)", at: now)
      return false
    case .rejected where isKnown:
      findings.add(.once, "\(result.id) was refused after it had been applied", at: now)
      return false
    case .applied, .duplicate, .rejected: return true
    }
  }

  private mutating func mark(_ result: ItemResult, _ server: inout ServerModel, _ isHeard: Bool) {
    if isHeard { server.answered(result.id) }
    guard result.status == .applied else { return }
    hasChanged = true
    _ = server.take(result.id, of: account)
  }

  private func apply(
    _ mutation: Mutation, by device: DeviceID, _ server: inout ServerModel, _ owners: inout Owners,
    _ findings: inout Findings
  ) {
    if let owner = owners.applied(mutation.entityID, by: account) {
      findings.add(
        .apart, "\(mutation.entityID) of account \(owner) was stored for account \(account)", at: now)
    }
    if case .deactivateAlert = mutation.change, server[account].alerts[AlertID(mutation.entityID)] == nil {
      findings.add(.once, "the end of \(mutation.entityID) was applied before the alert", at: now)
    }
    checkCalls(mutation, by: device, server, &findings)
    server.apply(mutation, of: account, by: device)
  }

  /// No call for help goes into an ended alert, and no end counts that has not seen the newest call.
  private func checkCalls(
    _ mutation: Mutation, by device: DeviceID, _ server: ServerModel, _ findings: inout Findings
  ) {
    let id = AlertID(mutation.entityID)
    let alert = server[account].alerts[id]
    switch mutation.change {
    case .updateAlert(let update) where update.isCall && alert?.isActive != true:
      findings.add(.lastWord, "a call for help was applied to alert \(id), which is not active", at: now)
    case .deactivateAlert(let end) where alert?.isActive == true:
      guard let unseen = alert?.callUnseen(by: end, from: device) else { return }
      findings.add(.lastWord, "alert \(id) was ended by a device that had not seen the call \(unseen.id)", at: now)
    default: break
    }
  }

  private func apply(_ request: NotificationRequest, _ server: inout ServerModel, _ findings: inout Findings) {
    guard let alert = server[account].alerts[request.alertID] else {
      findings.add(.once, "responders are to be told of \(request.alertID), which the server does not have", at: now)
      return
    }
    if request.notice == .deactivated, alert.alert.isActive {
      findings.add(.order, "responders are to be told that \(request.alertID) is over, and it is active", at: now)
    }
    server.apply(request, of: account)
  }

  /// Each change carries the entity's current state, after the request's own items.
  func look(at changes: [Change], _ server: ServerModel, _ findings: inout Findings) {
    let model = server[account]
    for change in changes {
      switch change {
      case .alert(let record): look(at: record.alert, model, server, &findings)
      case .contact(let id, let record): look(at: id, record?.details, model, &findings)
      case .receipt(let receipt):
        if model.alerts[receipt.alertID] == nil {
          findings.add(
            .apart, "account \(account) got a receipt of alert \(receipt.alertID), which it does not have", at: now)
        }
      case .profile(let owner, let profile):
        if owner != account || model.profile != profile {
          findings.add(.apart, "account \(account) got a profile of \(owner) that it does not have", at: now)
        }
      case .inbox(_, let alert): if let alert { look(at: alert, server, &findings) }
      }
    }
  }

  /// An alert in an inbox is somebody else's who asked for responders, and no more of a drill or an end than theirs.
  private func look(at alert: InboxAlert, _ server: ServerModel, _ findings: inout Findings) {
    let others = server.accountIDs.filter { $0 != account }.compactMap { server[$0].alerts[alert.alertID] }
    guard let known = others.first(where: { $0.notifiedAt != nil }) else {
      findings.add(.apart, "account \(account) got alert \(alert.alertID), of which nobody is told", at: now)
      return
    }
    if known.alert.isDrill != alert.isDrill || known.alert.isActive && !alert.isActive {
      findings.add(.convergence, "an inbox says otherwise of alert \(alert.alertID) than its owner", at: now)
    }
  }

  private func look(at alert: Alert, _ model: AccountModel, _ server: ServerModel, _ findings: inout Findings) {
    guard let known = model.alerts[alert.id]?.alert else {
      findings.add(.apart, "account \(account) got alert \(alert.id), which it does not have", at: now)
      return
    }
    guard known != alert else { return }
    let promise: Violation.Promise = !known.isActive && alert.isActive ? .order : .convergence
    findings.add(
      promise, "the server sends alert \(alert.id) as \(alert.line), and accepted it as \(known.line)", at: now)
  }

  private func look(
    at id: ContactID, _ details: ContactDetails?, _ model: AccountModel, _ findings: inout Findings
  ) {
    let known = model.contacts[id]?.details
    guard known != details else { return }
    // It belongs to another account, or to another time.
    let promise: Violation.Promise = details != nil && known == nil ? .apart : .convergence
    findings.add(
      promise, "the server sends contact \(id) as \(details.line), and accepted it as \(known.line)", at: now)
  }
}

extension ReceivedMutation {
  fileprivate var kind: String {
    switch self {
    case .valid(let mutation): mutation.change.kind.rawValue
    case .invalid: "unreadable item"
    }
  }
}

extension Alert {
  /// The fields that may differ, on one line.
  var line: String {
    let end = endedAt.map(\.description) ?? "active"
    let place = location.map { "\($0.latitude),\($0.longitude)" } ?? "nowhere"
    return "(\(startedAt) to \(end), \(isDrill ? "drill" : "real"), “\(message ?? "")”, \(place))"
  }
}

extension ContactDetails? {
  /// The fields that may differ, on one line.
  var line: String {
    guard let self else { return "removed" }
    let channels = self.channels.map(\.url).joined(separator: " ")
    return "(\(self.name), \(self.phone), \(self.isResponder ? "responder" : "no responder"), \(channels))"
  }
}
