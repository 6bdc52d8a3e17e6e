import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Tests what a token says of its account, and who can read it.
@Suite struct TokenNameTests {
  private let now = Timestamp(milliseconds: 1_790_000_000_000)
  private let account: AccountID = AlertsDevice.identifier()
  private let keys: ServerKeys

  init() throws { keys = ServerKeys(secret: try SecretKey.fromTest(7)) }

  private func token(_ kind: BearerToken.Kind, _ byte: UInt8) -> BearerToken {
    keys.token(kind, of: account, from: [UInt8](repeating: byte, count: BearerToken.byteCount))
  }

  @Test(arguments: [BearerToken.Kind.access, .refresh, .alertKey])
  func `it names its account to the server alone`(kind: BearerToken.Kind) throws {
    let token = token(kind, 1)
    #expect(token.bytes.count == BearerToken.byteCount)
    #expect(keys.account(namedBy: try #require(BearerToken(token.text))) == account)
    let others = ServerKeys(secret: try SecretKey.fromTest(8))
    #expect(others.account(namedBy: token) == nil)
    // Nor can somebody who has two tokens tell that they are of one account.
    let another = self.token(kind, 2)
    #expect(token.bytes.suffix(16) != another.bytes.suffix(16))
  }

  @Test func `all that signing in gives names the account`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    let session = device.session
    let named = try [session.tokens.accessToken, session.tokens.refreshToken, session.alertKey].map {
      server.core.keys.account(namedBy: try #require(BearerToken($0)))
    }
    #expect(Set(named) == [session.user.id])
  }

  @Test func `a token of an earlier program, which names none, is as good`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    let old = BearerToken(.access, bytes: [UInt8](repeating: 5, count: BearerToken.byteCount))
    try server.store.write { transaction in
      var needs = RequestNeeds()
      needs.credential = .accessToken(server.core.keys.hash(of: try #require(BearerToken(device.token))))
      var facts = RequestFacts()
      try transaction.addFacts(needs, to: &facts)
      var tokens = try #require(facts.credential?.tokens)
      tokens.generation += 1
      (tokens.accessHash, tokens.refreshHash) = (server.core.keys.hash(of: old), [UInt8](repeating: 1, count: 32))
      var writes = RequestWrites()
      writes.newTokens = tokens
      try transaction.apply(writes)
    }
    #expect(server.send("GET", Route.contacts, token: old.text).status == 200)
    #expect(server.send("GET", Route.contacts, token: token(.access, 1).text).status == 401)
  }

  // A program that knows no names may be asked for the successor that this one made, and the other way round.
  @Test(arguments: [false, true])
  func `a successor is the same again, whichever program made it`(servesOlder: Bool) throws {
    let shown = token(.refresh, 3)
    let core = ServerCore(configuration: ServerConfiguration(publicURL: "https://server.example"), keys: keys)
    let session = SessionRecord(
      id: AlertsDevice.identifier(), accountID: account, deviceName: "phone", alertKeyHash: [1], createdAt: now)
    let record = TokenRecord(
      sessionID: session.id, generation: 1, accessHash: [1], refreshHash: keys.hash(of: shown), salt: [4],
      accessExpiresAt: now.advanced(byMilliseconds: 1), refreshExpiresAt: now.advanced(byMilliseconds: 1))
    func refresh(_ facts: RefreshFacts, servesOlder: Bool) throws -> (tokens: TokenResponse, work: RequestWork) {
      let request = ServerRequest(
        method: "POST", path: "/", body: TokenRequest(refreshToken: shown.text).json(), remoteAddress: "192.0.2.1")
      let rule = try Tokens.refresh(
        RouteInput(
          configuration: core.configuration, keys: keys, request: request, parameters: [], now: now,
          showsAlertKey: false))
      #expect(rule.parts[0].needs.namedAccount == account)
      var known = RequestFacts()
      (known.refresh, known.servesOlder) = (facts, servesOlder)
      var work = RequestWork(
        core, known, ExchangeProgress(), now: now, entropy: Entropy(seed: [UInt8](repeating: 1, count: 32)))
      guard case .full(let answer) = try rule.parts[0].decide((), &work) else { throw Problem(.internalError, "") }
      return (try TokenResponse(jsonBytes: answer.body), work)
    }
    let first = try refresh(RefreshFacts(shown: record, session: session, successor: nil), servesOlder: servesOlder)
    let made = try #require(first.work.writes.newTokens)
    let replaced = try #require(first.work.writes.changedTokens.first)
    let facts = RefreshFacts(shown: replaced, session: session, successor: made)
    for servesOlder in [false, true] {
      let again = try refresh(facts, servesOlder: servesOlder).tokens
      #expect(again.accessToken == first.tokens.accessToken && again.refreshToken == first.tokens.refreshToken)
    }
    let access = try #require(BearerToken(first.tokens.accessToken))
    #expect(keys.hash(of: access) == made.accessHash)
    #expect((keys.account(namedBy: access) == account) == !servesOlder)
  }
}
