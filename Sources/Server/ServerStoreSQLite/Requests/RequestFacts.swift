import Model
import SQLiteKit
package import ServerCore

// The facts of one request, by prepared statements in a loop: in a file, a statement costs microseconds.
extension SQLiteServerTransaction {
  package func addFacts(_ needs: RequestNeeds, to facts: inout RequestFacts) throws(StorageError) {
    if let credential = needs.credential { facts.credential = try credentialFacts(credential) }
    if let caller = facts.credential { try addFacts(needs, of: caller, to: &facts) }
    if let key = needs.page { facts.page = try pageLink(key) }
    if let key = needs.answer { facts.answers = try answerLinks(key) }
    for (account, needs) in needs.accounts {
      try addFacts(needs, of: account, to: &facts.accounts[account, default: AccountFacts()])
    }
    try addSignInFacts(needs, to: &facts)
    if let name = needs.serverState { facts.serverState = try serverState(name) }
    if needs.storeCounts { facts.storeCounts = try storeCounts() }
    if let need = needs.overview { facts.overview = try overview(need) }
  }

  private func credentialFacts(_ credential: CredentialHash) throws(StorageError) -> CredentialFacts? {
    switch credential {
    case .accessToken(let hash):
      guard let tokens = try tokens(accessHash: hash), let session = try session(tokens.sessionID),
        let account = try account(session.accountID)
      else { return nil }
      return CredentialFacts(account: account, session: session, tokens: tokens)
    case .alertKey(let hash):
      guard let session = try session(alertKeyHash: hash), let account = try account(session.accountID) else {
        return nil
      }
      return CredentialFacts(account: account, session: session, tokens: nil)
    }
  }

  private func addFacts(
    _ needs: RequestNeeds, of caller: CredentialFacts, to facts: inout RequestFacts
  ) throws(StorageError) {
    let account = caller.account
    if let needs = needs.caller {
      facts.accounts[account.id, default: AccountFacts()].record = account
      try addFacts(needs, of: account.id, to: &facts.accounts[account.id, default: AccountFacts()])
    }
    if needs.alertBucket {
      facts.alertBucketFullAt = try alertBucketFull(
        account: account.id, session: caller.session.id, isOfAlertKey: caller.tokens == nil)
    }
    if needs.callerSessions > 0 {
      facts.callerSessions = try livingSessions(of: account.id, limit: needs.callerSessions)
    }
    switch needs.alertList {
    case nil: break
    case .own(let activeOnly, let before, let limit):
      facts.listedAlerts = try listed(
        alerts(of: account.id, activeOnly: activeOnly, before: before, limit: limit))
    case .responding(let activeOnly, let before, let limit):
      facts.listedAlerts = try listed(
        alerts(
          of: account.id, andOfThoseNaming: account.phone, activeOnly: activeOnly, before: before, limit: limit))
    }
    if let visible = needs.visibleAlert { try add(visible, for: account, to: &facts) }
  }

  private func add(
    _ need: VisibleAlertNeed, for account: AccountRecord, to facts: inout RequestFacts
  ) throws(StorageError) {
    facts.ownAlert = try alert(need.id, of: account.id).map { alert throws(StorageError) in try listed(alert) }
    facts.alertsNaming = try listed(alerts(need.id, ofThoseNaming: account.phone))
    for found in [facts.ownAlert].compactMap({ $0 }) + facts.alertsNaming {
      try addFacts(
        need.facts, of: found.alert.account, to: &facts.accounts[found.alert.account, default: AccountFacts()])
    }
  }

  private func listed(_ alerts: [StoredAlert]) throws(StorageError) -> [ListedAlert] {
    var listed: [ListedAlert] = []
    for alert in alerts { listed.append(try self.listed(alert)) }
    return listed
  }

  private func listed(_ alert: StoredAlert) throws(StorageError) -> ListedAlert {
    let account = try account(alert.account)
    return ListedAlert(
      alert: alert, phone: account?.phone ?? "", profile: account?.profile,
      lastContactAt: try lastContact(device: alert.device, account: alert.account))
  }

  private func addSignInFacts(_ needs: RequestNeeds, to facts: inout RequestFacts) throws(StorageError) {
    if let id = needs.session { facts.session = try session(id) }
    if let id = needs.verification, let verification = try verification(id) {
      facts.verification = verification
      facts.verifiedAccount = try account(phone: verification.phone)
      facts.isVerifiedPhoneBlocked = try block(of: verification.phone) != nil
    }
    if let hash = needs.refreshHash, let shown = try tokens(refreshHash: hash),
      let session = try session(shown.sessionID)
    {
      facts.refresh = RefreshFacts(
        shown: shown, session: session,
        successor: try tokens(session: session.id, generation: shown.generation + 1))
    }
    if let resend = needs.resend { facts.latestResend = try latestResend(phone: resend.phone, upTo: resend.upTo) }
    if let phone = needs.block { facts.isBlocked = try block(of: phone) != nil }
    for need in needs.rateCounts { facts.rateCounts[need] = try rateCounts(key: need.key, within: need.range) }
  }
}
