import Model
import PostgresKit
import ServerCore

// The facts of one request. Those of the account that its credential names come in the same round trip as the credential, and count once it is
// known to be that account's. Which alerts somebody may see has to be known before the facts of these: that is another one.
extension PostgresTransaction {
  func addFacts(_ needs: RequestNeeds, to facts: inout RequestFacts) throws(StorageError) {
    let box = Box(facts)
    var batch = PostgresBatch()
    if let credential = needs.credential { addCredential(credential, of: needs.namedAccount, to: box, &batch) }
    if let key = needs.page { addPageLink(key, &batch) { box.value.page = $0 } }
    if let key = needs.answer { addAnswerLinks(key, &batch) { box.value.answers = $0 } }
    addSignInFacts(needs, to: box, &batch)
    if let name = needs.serverState { addServerState(name, &batch) { box.value.serverState = $0 } }
    if needs.storeCounts { addStoreCounts(&batch) { box.value.storeCounts = $0 } }
    if let need = needs.overview { addOverview(need, to: box, &batch) }
    var accounts = needs.accounts.map {
      AccountFactsReader($0.value, of: $0.key, after: facts.accounts[$0.key], in: self)
    }
    let named = addNamedFacts(needs, to: box, &batch)
    try run(batch, accounts + [named].compactMap { $0 })
    try addUnnamed(needs, to: box)
    facts = box.value
    if let caller = facts.credential {
      let isNamed = named?.account == caller.account.id
      if let named, isNamed {
        accounts.append(named)
        facts.accounts[named.account] = named.facts
      }
      accounts += try callerFacts(isNamed ? needs.withoutNamed : needs, of: caller, to: &facts)
    }
    for account in accounts { facts.accounts[account.account] = account.facts }
  }

  /// The facts of the account that the credential names; nil where none are needed.
  private func addNamedFacts(
    _ needs: RequestNeeds, to box: Box<RequestFacts>, _ batch: inout PostgresBatch
  ) -> AccountFactsReader? {
    guard let credential = needs.credential, let account = needs.namedAccount, let caller = needs.caller,
      needs.accounts[account] == nil
    else { return nil }
    if needs.alertBucket { addAlertBucket(account, of: credential, &batch) { box.value.alertBucketFullAt = $0 } }
    return AccountFactsReader(caller, of: account, after: box.value.accounts[account], in: self)
  }

  /// What the account that is named does not have, wherever it is: older credentials and refresh tokens name none.
  private func addUnnamed(_ needs: RequestNeeds, to box: Box<RequestFacts>) throws(StorageError) {
    guard needs.namedAccount != nil else { return }
    var batch = PostgresBatch()
    if let credential = needs.credential, box.value.credential == nil {
      addCredential(credential, of: nil, to: box, &batch)
    }
    if let hash = needs.refreshHash, box.value.refresh == nil { addRefresh(hash, of: nil, to: box, &batch) }
    if !batch.isEmpty { try run(batch) }
  }

  /// The account and the session of a token or an alert key.
  /// - Parameter account: where to look; nil for all.
  private func addCredential(
    _ credential: CredentialHash, of account: AccountID?, to box: Box<RequestFacts>, _ batch: inout PostgresBatch
  ) {
    switch credential {
    case .accessToken(let hash):
      batch.add(
        """
        SELECT \(SQL.session), \(SQL.tokens), \(SQL.account)
        FROM tokens JOIN sessions ON sessions.account_id = tokens.account_id AND sessions.id = tokens.session_id
          JOIN accounts ON accounts.account_id = tokens.account_id
        WHERE tokens.access_hash = $1 \(SQL.ofAccount(account, "tokens"))
        """, PostgresValue.parameters(hash, of: account)
      ) { rows throws(PostgresError) in
        box.value.credential = try rows.first { row throws(PostgresError) in
          CredentialFacts(
            account: try AccountRecord(row: row), session: try SessionRecord(row: row),
            tokens: try TokenRecord(row: row))
        }
      }
    case .alertKey(let hash):
      batch.add(
        """
        SELECT \(SQL.session), \(SQL.account)
        FROM sessions JOIN accounts ON accounts.account_id = sessions.account_id
        WHERE sessions.alert_key_hash = $1 \(SQL.ofAccount(account, "sessions"))
        """, PostgresValue.parameters(hash, of: account)
      ) { rows throws(PostgresError) in
        box.value.credential = try rows.first { row throws(PostgresError) in
          CredentialFacts(account: try AccountRecord(row: row), session: try SessionRecord(row: row), tokens: nil)
        }
      }
    }
  }

  private func callerFacts(
    _ needs: RequestNeeds, of caller: CredentialFacts, to facts: inout RequestFacts
  ) throws(StorageError) -> [AccountFactsReader] {
    let box = Box(facts)
    var batch = PostgresBatch()
    let account = caller.account
    var readers: [AccountFactsReader] = []
    if let needs = needs.caller {
      readers.append(AccountFactsReader(needs, of: account.id, after: facts.accounts[account.id], in: self))
    }
    if needs.alertBucket, let credential = needs.credential {
      addAlertBucket(account.id, of: credential, &batch) { box.value.alertBucketFullAt = $0 }
    }
    if needs.callerSessions > 0 {
      addSessions(of: account.id, limit: needs.callerSessions, &batch) { box.value.callerSessions = $0 }
    }
    if let list = needs.alertList { addList(list, for: account, &batch) { box.value.listedAlerts = $0 } }
    if let visible = needs.visibleAlert { addVisible(visible.id, for: account, to: box, &batch) }
    try run(batch, readers)
    facts = box.value
    if let visible = needs.visibleAlert { readers += try visibleFacts(visible, facts, known: readers) }
    return readers
  }

  /// The facts of the account of each alert that was found.
  private func visibleFacts(
    _ need: VisibleAlertNeed, _ facts: RequestFacts, known: [AccountFactsReader]
  ) throws(StorageError) -> [AccountFactsReader] {
    let found = [facts.ownAlert].compactMap { $0 } + facts.alertsNaming
    var readers: [AccountFactsReader] = []
    for account in Set(found.map(\.alert.account)) {
      let earlier = known.first { $0.account == account }?.facts ?? facts.accounts[account]
      readers.append(AccountFactsReader(need.facts, of: account, after: earlier, in: self))
    }
    try run(PostgresBatch(), readers)
    return readers
  }

  private func addSignInFacts(_ needs: RequestNeeds, to box: Box<RequestFacts>, _ batch: inout PostgresBatch) {
    if let id = needs.session { addSession(id, &batch) { box.value.session = $0 } }
    if let id = needs.verification { addVerification(id, to: box, &batch) }
    if let hash = needs.refreshHash {
      addRefresh(hash, of: needs.namedAccount, to: box, &batch)
      addOlderPrograms(to: box, &batch)
    }
    if let resend = needs.resend { addLatestResend(resend, &batch) { box.value.latestResend = $0 } }
    if let phone = needs.block { addBlock(of: phone, &batch) { box.value.isBlocked = $0 } }
    for need in needs.rateCounts { addRateCounts(need, &batch) { box.value.rateCounts[need] = $0 } }
  }
}

extension RequestNeeds {
  /// Without what comes together with a credential that names its account.
  fileprivate var withoutNamed: RequestNeeds {
    var others = self
    (others.caller, others.alertBucket) = (nil, false)
    return others
  }
}
