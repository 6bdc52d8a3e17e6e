import Model
import ServerStoreSQLite
import Wire

@testable import Secrets
@testable import ServerCore

/// The server's core over a store in memory, with two people: one whose tokens the inputs may use, and one who has an active
/// alert and has the first as a responder. It is the same in every process, byte for byte.
final class ServerUnderTest: Sendable {
  static let shared = ServerUnderTest()

  let scratch = ScratchHome()
  let core: ServerCore
  let store: SQLiteServerStore
  let session: SessionResponse

  var databasePath: String { scratch.path + "/server.sqlite" }

  init() {
    guard let secret = SecretKey(bytes: [UInt8](repeating: 9, count: SecretKey.byteCount)) else {
      fatalError("no secret")
    }
    core = ServerCore(
      configuration: ServerConfiguration(publicURL: "https://server.example", allowsPrivateChannels: true),
      keys: ServerKeys(secret: secret))
    do {
      store = try SQLiteServerStore.open(path: scratch.path + "/server.sqlite")
      session = try Self.signIn("+12025550199", 1, core, store)
      let other = try Self.signIn("+12025550123", 2, core, store)
      raiseAlert(of: other)
    } catch {
      fatalError("no server: \(error)")
    }
  }

  /// Each number has its own randomness.
  static func moment(_ number: Int) -> ServerMoment {
    ServerMoment(
      now: Sample.now.advanced(byMilliseconds: Int64(number) * 1000),
      entropy: Entropy(seed: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Entropy.seedByteCount)))
  }

  private static func signIn(
    _ phone: String, _ number: UInt64, _ core: ServerCore, _ store: SQLiteServerStore
  ) throws -> SessionResponse {
    var work = RequestWork(
      core, RequestFacts(), ExchangeProgress(), now: Sample.now, entropy: moment(Int(number) + 100).entropy)
    let account = AccountRecord(
      id: Sample.identifier(number + 600), phone: phone, epoch: "epoch\(number)", createdAt: Sample.now)
    work.writes.newAccount = account
    let alertKey = work.keys.token(.alertKey, of: account.id, from: work.entropy.bytes(BearerToken.byteCount))
    let session = SessionRecord(
      id: Sample.identifier(number + 700), accountID: account.id, deviceName: "fuzz",
      alertKeyHash: core.keys.hash(of: alertKey), createdAt: Sample.now)
    work.writes.newSession = session
    let tokens = Tokens.first(of: session, &work)
    try store.write { try $0.apply(work.writes) }
    return SessionResponse(tokens: tokens, alertKey: alertKey.text, user: .init(id: account.id, phone: phone))
  }

  /// The other person's, with the first as a responder.
  private func raiseAlert(of other: SessionResponse) {
    guard let details = Sample.contact("Ana") else { return }
    let mutations = [Sample.queued(.putContact(details), 50), Sample.queued(Sample.activation, 51)]
    let body = SyncRequestWriter.body(
      deviceID: Sample.identifier(8), cursor: nil, mutations: mutations,
      notifications: [
        NotificationRequest(id: Sample.identifier(52), alertID: Sample.identifier(1), notice: .activated)
      ], limit: 10)
    let request = ServerRequest(
      method: "POST", path: Route.sync, authorization: "Bearer \(other.tokens.accessToken)",
      contentType: "application/json",
      body: body, remoteAddress: "192.0.2.1")
    let outcome = core.respond(to: request, at: Self.moment(0), in: store)
    require(outcome.response.status == 200, "the alert of the other is up")
  }
}
