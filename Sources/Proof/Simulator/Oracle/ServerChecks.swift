import Model
import Wire

/// Follows the server's answers with the model, and sees whether they fit it (I3, I7).
struct ServerChecks {
  let account: AccountID
  let now: Int64
  /// Something took effect.
  private(set) var hasChanged = false

  init(account: AccountID, now: Int64) {
    self.account = account
    self.now = now
  }

  /// - Parameter isHeard: the answer was given, and may take the items from the device's queue.
  mutating func take(
    _ results: [ItemResult], to request: SyncRequest, _ server: inout ServerModel, _ owners: inout Owners,
    _ findings: inout Findings, isHeard: Bool = true
  ) {
    var byID: [String: ItemResult] = [:]
    for result in results where byID.updateValue(result, forKey: result.id) != nil {
      findings.add(.once, "\(result.id) was answered twice in one exchange", at: now)
    }
    for result in results where result.status == .rejected { server.refused(result.id) }
    for mutation in request.mutations {
      guard let result = byID.removeValue(forKey: mutation.id.description) else { continue }
      if result.status == .rejected { server.refusedCall(in: mutation.entityID) }
      if result.code == ItemResult.newerCallForHelp { server.refusedEnd(result.id, of: mutation.entityID) }
      guard isNew(result, server, &findings, isHeard), case .valid(let valid) = mutation else { continue }
      mark(result, &server, isHeard)
      if result.status == .applied { apply(valid, by: request.deviceID, &server, &owners, &findings) }
    }
    for notification in request.notifications {
      guard let result = byID.removeValue(forKey: notification.id.description) else { continue }
      guard isNew(result, server, &findings, isHeard), case .valid(let valid) = notification else { continue }
      mark(result, &server, isHeard)
      if result.status == .applied { apply(valid, &server, &findings) }
    }
    for id in byID.keys.sorted() { findings.add(.once, "\(id) was answered and had not been sent", at: now) }
  }

  /// Whether the answer may be true: what is called new is, what is called a repetition was there.
  private func isNew(
    _ result: ItemResult, _ server: ServerModel, _ findings: inout Findings, _ isHeard: Bool
  ) -> Bool {
    let isKnown = server[account].applied.contains(result.id)
    switch result.status {
    case .applied where isKnown:
      findings.add(.once, "\(result.id) took effect on the server for a second time", at: now)
      return false
    case .duplicate where !isKnown:
      findings.add(.once, "\(result.id) was answered as done before, and never was", at: now)
      return false
    case .rejected where result.code == "mutation_id_reused":
      findings.add(.once, "\(result.id) names two different things", at: now)
      return false
    case .rejected where isKnown:
      findings.add(.once, "\(result.id) was refused after it had taken effect", at: now)
      return false
    case .rejected: return false
    case .applied, .duplicate: return true
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
      findings.add(.once, "the end of \(mutation.entityID) was taken before the alert", at: now)
    }
    checkCalls(mutation, by: device, server, &findings)
    server.apply(mutation, of: account, by: device)
  }

  /// No call for help goes into an alert that is over, and no end ends one that was called for unseen.
  private func checkCalls(
    _ mutation: Mutation, by device: DeviceID, _ server: ServerModel, _ findings: inout Findings
  ) {
    let id = AlertID(mutation.entityID)
    let isActive = server[account].alerts[id]?.alert.isActive
    switch mutation.change {
    case .updateAlert where isActive != true:
      findings.add(.lastWord, "a call for help was taken into alert \(id), which is not active", at: now)
    case .deactivateAlert(let end) where isActive == true:
      let calls = (server.history.calls[id] ?? []).filter { $0.step > server.history.lastRestore ?? -1 }
      let seen = calls.lastIndex { end.seenUpdates?.contains($0.id) ?? true } ?? -1
      guard let unseen = calls[(seen + 1)...].last(where: { $0.device != device }) else { return }
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

  /// Each change tells the entity as it is now, after the request's own items.
  func look(at changes: [Change], _ server: ServerModel, _ findings: inout Findings) {
    let model = server[account]
    for change in changes {
      switch change {
      case .alert(let record): look(at: record.alert, model, server, &findings)
      case .contact(let id, let record): look(at: id, record?.details, model, &findings)
      case .receipt(let receipt):
        if model.alerts[receipt.alertID] == nil {
          findings.add(.apart, "account \(account) was told of a message about alert \(receipt.alertID)", at: now)
        }
      }
    }
  }

  private func look(at alert: Alert, _ model: AccountModel, _ server: ServerModel, _ findings: inout Findings) {
    guard let known = model.alerts[alert.id]?.alert else {
      findings.add(.apart, "account \(account) was told of alert \(alert.id), which it does not have", at: now)
      return
    }
    guard known != alert else { return }
    let promise: Violation.Promise = !known.isActive && alert.isActive ? .order : .convergence
    findings.add(
      promise, "the server tells alert \(alert.id) as \(alert.line), and took it as \(known.line)", at: now)
  }

  private func look(
    at id: ContactID, _ details: ContactDetails?, _ model: AccountModel, _ findings: inout Findings
  ) {
    let known = model.contacts[id]?.details
    guard known != details else { return }
    // Of another account, or of another time.
    let promise: Violation.Promise = details != nil && known == nil ? .apart : .convergence
    findings.add(
      promise, "the server tells contact \(id) as \(details.line), and took it as \(known.line)", at: now)
  }
}

extension Alert {
  /// What of it may differ, in one line.
  var line: String {
    let end = endedAt.map(\.description) ?? "active"
    let place = location.map { "\($0.latitude),\($0.longitude)" } ?? "nowhere"
    return "(\(startedAt) to \(end), \(isDrill ? "drill" : "real"), “\(message ?? "")”, \(place))"
  }
}

extension ContactDetails? {
  /// What of it may differ, in one line.
  var line: String {
    guard let self else { return "removed" }
    let channels = self.channels.map(\.url).joined(separator: " ")
    return "(\(self.name), \(self.phone), \(self.isResponder ? "responder" : "no responder"), \(channels))"
  }
}
