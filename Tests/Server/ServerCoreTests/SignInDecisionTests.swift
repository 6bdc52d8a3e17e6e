import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Tests the rules of signing in as functions of facts, without a store.
@Suite struct `The decision about` {
  private let now = Timestamp(milliseconds: 1_790_000_000_000)
  private let core: ServerCore

  init() throws {
    core = ServerCore(
      configuration: ServerConfiguration(publicURL: "https://server.example"),
      keys: ServerKeys(secret: try SecretKey.fromTest(7)))
  }

  private var account: AccountRecord {
    AccountRecord(id: AlertsDevice.identifier(), phone: "+12025550123", epoch: "epoch", createdAt: now)
  }

  private func input(_ body: [UInt8] = [], parameters: [String] = []) -> RouteInput {
    RouteInput(
      configuration: core.configuration, keys: core.keys,
      request: ServerRequest(method: "POST", path: "/", body: body, remoteAddress: "192.0.2.1"),
      parameters: parameters, now: now, showsAlertKey: false)
  }

  private func decide<Asker>(
    _ rule: Rule<Asker>, by asker: Asker, _ facts: RequestFacts
  ) throws -> (status: Int, work: RequestWork) {
    var work = RequestWork(
      core, facts, ExchangeProgress(), now: now, entropy: Entropy(seed: [UInt8](repeating: 1, count: 32)))
    let response = try rule.parts[0].decide(asker, &work)
    return (response.status, work)
  }

  // Codes

  private func verification(_ code: String, tries: Int = 0) -> VerificationRecord {
    VerificationRecord(
      id: "v", phone: "+12025550123", codeHash: Verifications.codeHash(code, verification: "v", core.keys),
      createdAt: now, resendAt: now, expiresAt: now.advanced(byMilliseconds: 1), tries: tries)
  }

  private func guess(_ code: String, _ facts: RequestFacts) throws -> (status: Int, work: RequestWork) {
    let body = SessionRequest(verificationID: "v", code: code, deviceName: "phone").json()
    let rule = try Sessions.create(input(body))
    #expect(rule.parts[0].needs.verification == "v")
    return try decide(rule, by: (), facts)
  }

  @Test func `a right code makes a session with its tokens and, if there is none, the account`() throws {
    var facts = RequestFacts()
    facts.verification = verification("123456")
    let (status, work) = try guess("123-456", facts)
    #expect(status == 201)
    #expect(work.writes.changedVerification?.usedAt == now && work.writes.changedVerification?.tries == 1)
    #expect(work.writes.newAccount?.phone == "+12025550123")
    #expect(work.writes.newSession?.accountID == work.writes.newAccount?.id)
    #expect(work.writes.newTokens?.sessionID == work.writes.newSession?.id)
    facts.verifiedAccount = account
    #expect(try guess("123456", facts).work.writes.newAccount == nil)
  }

  @Test func `a wrong code counts the guess and writes nothing else`() throws {
    var facts = RequestFacts()
    facts.verification = verification("123456", tries: 3)
    let (status, work) = try guess("654321", facts)
    #expect(status == 422)
    #expect(work.writes.changedVerification?.tries == 4 && work.writes.changedVerification?.usedAt == nil)
    #expect(work.writes.newSession == nil && work.writes.newAccount == nil)
  }

  @Test func `a right code after too many guesses, or of an unknown request, writes nothing`() throws {
    var facts = RequestFacts()
    facts.verification = verification("123456", tries: 5)
    #expect(try guess("123456", facts).work.writes.isEmpty)
    #expect(try guess("123456", RequestFacts()).work.writes.isEmpty)
  }

  @Test func `a request for a code reads its limits, counts them and is sent, or is refused and counts nothing`()
    throws
  {
    let rule = try Verifications.request(input(VerificationRequest(phone: "+12025550123", region: nil).json()))
    let needs = rule.parts[0].needs
    #expect(needs.rateCounts.count == 17 && needs.resend == ResendNeed(phone: "+12025550123", upTo: now))
    let sent = try decide(rule, by: (), RequestFacts())
    #expect(sent.status == 201 && sent.work.codes.count == 1 && sent.work.writes.rateCounts.count == 14)
    let counted = Set(sent.work.writes.rateCounts.map(\.key))
    let lift = CodeLimits.lift(of: "+12025550123", core.keys).key
    #expect(counted.count == 14 && counted.isSubset(of: needs.rateCounts.map(\.key)) && !counted.contains(lift))
    var facts = RequestFacts()
    for need in needs.rateCounts where need.key != lift { facts.rateCounts[need] = [RateCount(start: now, count: 5)] }
    let refused = try decide(rule, by: (), facts)
    #expect(refused.status == 429 && refused.work.codes.isEmpty && refused.work.writes.isEmpty)
    facts = RequestFacts()
    facts.latestResend = now.advanced(byMilliseconds: 1)
    #expect(try decide(rule, by: (), facts).status == 429)
  }

  @Test func `a request for a code to a blocked number differs from others in the code alone`() throws {
    let rule = try Verifications.request(input(VerificationRequest(phone: "+12025550123", region: nil).json()))
    #expect(rule.parts[0].needs.block == "+12025550123")
    let sent = try decide(rule, by: (), RequestFacts()).work
    var facts = RequestFacts()
    facts.isBlocked = true
    let (status, withheld) = try decide(rule, by: (), facts)
    #expect(status == 201 && withheld.codes.isEmpty && withheld.writes.newCode == nil && sent.codes.count == 1)
    #expect(withheld.writes.newVerification == sent.writes.newVerification)
    #expect(withheld.writes.rateCounts == sent.writes.rateCounts)
    #expect(withheld.observations == [.codeWithheld] && sent.observations.isEmpty)
  }

  // Tokens

  private func refresh(replacedAt: Timestamp?, successorUsedAt: Timestamp?) throws -> (status: Int, work: RequestWork) {
    let token = BearerToken(.refresh, bytes: [UInt8](repeating: 3, count: BearerToken.byteCount))
    let session = SessionRecord(
      id: AlertsDevice.identifier(), accountID: account.id, deviceName: "phone", alertKeyHash: [1], createdAt: now)
    func tokens(_ generation: Int64) -> TokenRecord {
      TokenRecord(
        sessionID: session.id, generation: generation, accessHash: [1], refreshHash: [2],
        salt: [UInt8](repeating: 4, count: 32), accessExpiresAt: now.advanced(byMilliseconds: 1),
        refreshExpiresAt: now.advanced(byMilliseconds: 1))
    }
    var (shown, successor) = (tokens(1), tokens(2))
    shown.replacedAt = replacedAt
    successor.firstUsedAt = successorUsedAt
    var facts = RequestFacts()
    facts.refresh = RefreshFacts(shown: shown, session: session, successor: replacedAt == nil ? nil : successor)
    let rule = try Tokens.refresh(input(TokenRequest(refreshToken: token.text).json()))
    #expect(rule.parts[0].needs.refreshHash == core.keys.hash(of: token))
    return try decide(rule, by: (), facts)
  }

  @Test func `a refresh token returns its successor, the same one while that is unused, and then ends the session`()
    throws
  {
    let first = try refresh(replacedAt: nil, successorUsedAt: nil)
    #expect(first.status == 200 && first.work.writes.newTokens?.generation == 2)
    #expect(first.work.writes.changedTokens.map(\.replacedAt) == [now])
    let again = try refresh(replacedAt: now, successorUsedAt: nil)
    #expect(again.status == 200 && again.work.writes.newTokens == nil && again.work.writes.changedTokens.count == 2)
    let reused = try refresh(replacedAt: now.advanced(byMilliseconds: -30_000), successorUsedAt: now)
    #expect(reused.status == 401 && reused.work.writes.endedSessions.map(\.endsAlertKey) == [false])
    #expect(throws: Problem.self) { try refresh(replacedAt: now, successorUsedAt: now) }
  }

  @Test func `signing out ends the current session, and another one only if it is the caller's`() throws {
    let caller = Caller(account: account, session: AlertsDevice.identifier(), isAlertKeyOnly: false)
    let end = try decide(Sessions.end(input()), by: caller, RequestFacts())
    #expect(end.work.writes.endedSessions == [SessionEnd(caller.session, at: now, endsAlertKey: true)])
    var facts = RequestFacts()
    facts.session = SessionRecord(
      id: AlertsDevice.identifier(), accountID: caller.account.id, deviceName: "phone", alertKeyHash: [1],
      createdAt: now)
    let rule = AccountSessions.end(input(parameters: [facts.session?.id.description ?? ""]))
    #expect(try decide(rule, by: caller, facts).work.writes.endedSessions.map(\.session) == [facts.session?.id])
    facts.session?.accountID = AlertsDevice.identifier()
    #expect(throws: Problem.self) { try decide(rule, by: caller, facts) }
  }

  // Acknowledgements

  @Test func `an acknowledgement names its missing facts`() throws {
    let alert: AlertID = AlertsDevice.identifier()
    let caller = Caller(account: account, session: AlertsDevice.identifier(), isAlertKeyOnly: false)
    let record = AlertRecord(
      alert: Alert(id: alert, startedAt: now), ordinal: 1, receivedAt: now, endReceivedAt: nil)
    let stored = StoredAlert(
      account: AlertsDevice.identifier(), record: record, device: AlertsDevice.identifier(), utcOffsetMinutes: nil)
    var facts = RequestFacts()
    facts.alertsNaming = [ListedAlert(alert: stored, phone: "+12025550199", lastContactAt: nil)]
    let rule = try AcknowledgementsRoute.rule(input(parameters: [alert.description]))
    let missing = try decide(rule, by: caller, facts).work.missing.accounts[stored.account]
    #expect(missing?.contacts == true)
    #expect(missing?.responses.isEmpty == true, "without contacts nobody has answered")
  }
}
