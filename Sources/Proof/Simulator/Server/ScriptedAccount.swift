import Model
import ServerCore
import Wire

/// An account without a simulated device: its requests reach the server at once.
final class ScriptedAccount {
  private let world: World
  private let server: SimulatedServer
  private var random: SimulatedRandom
  private var tokens: TokenResponse

  /// Signs in, with a stream of random numbers of its own; nil if the server does not answer.
  convenience init?(
    _ phone: String, world: World, server: SimulatedServer, seededBy random: inout SimulatedRandom
  ) {
    self.init(
      phone, world: world, server: server, random: SimulatedRandom(seed: random.next(), stream: phone))
  }

  /// Signs in; nil if the server does not answer.
  init?(_ phone: String, world: World, server: SimulatedServer, random: SimulatedRandom) {
    let asked = Self.post(Route.verifications, VerificationRequest(phone: phone, region: nil).json(), nil, server)
    guard let asked, let verification = try? VerificationResponse(jsonBytes: asked), let code = server.codes[phone]
    else { return nil }
    let request = SessionRequest(verificationID: verification.verificationID, code: code, deviceName: "script")
    let session = Self.post(Route.sessions, request.json(), nil, server)
      .flatMap { try? SessionResponse(jsonBytes: $0) }
    guard let session else { return nil }
    tokens = session.tokens
    (self.world, self.server, self.random) = (world, server, random)
  }

  /// Sends the mutations, with a notification request for each alert that they raise or end. False if the server did not answer.
  func send(_ mutations: [Mutation]) -> Bool { exchange(mutations) != nil }

  /// The alerts of others in the account's inbox, pulled from the start.
  func inbox() -> [InboxAlert] {
    exchange([])?.changes.compactMap { if case .inbox(_, let alert) = $0 { alert } else { nil } } ?? []
  }

  private func exchange(_ mutations: [Mutation]) -> SyncResponse? {
    let queued = mutations.map {
      SyncRequestWriter.QueuedMutation(
        id: $0.id, kind: $0.change.kind, entityID: $0.entityID, occurredAt: $0.occurredAt,
        body: MutationBody.text(of: $0.change))
    }
    let notifications = mutations.compactMap { mutation -> NotificationRequest? in
      let notice: Notice? =
        switch mutation.change.kind {
        case .activateAlert: .activated
        case .deactivateAlert: .deactivated
        default: nil
        }
      return notice.map { NotificationRequest(id: id(), alertID: AlertID(mutation.entityID), notice: $0) }
    }
    let body = SyncRequestWriter.body(
      deviceID: id(), cursor: nil, mutations: queued, notifications: notifications, limit: 500, sentAt: world.trueTime)
    let answer = Self.post(Route.sync, body, tokens.accessToken, server) ?? postAgain(body)
    return answer.flatMap { try? SyncResponse(jsonBytes: $0) }
  }

  /// With new tokens: the access token may have expired.
  private func postAgain(_ body: [UInt8]) -> [UInt8]? {
    let request = TokenRequest(refreshToken: tokens.refreshToken)
    guard let answer = Self.post(Route.tokens, request.json(), nil, server),
      let renewed = try? TokenResponse(jsonBytes: answer)
    else { return nil }
    tokens = renewed
    return Self.post(Route.sync, body, tokens.accessToken, server)
  }

  private static func post(_ path: String, _ body: [UInt8], _ token: String?, _ server: SimulatedServer) -> [UInt8]? {
    let request = ServerRequest(
      method: "POST", path: path, authorization: token.map { "Bearer \($0)" }, contentType: "application/json",
      body: body, remoteAddress: "198.51.100.1")
    guard case .full(let answer)? = server.respond(to: request), answer.status < 300 else { return nil }
    return answer.body
  }

  func puts(count: Int, channelsEach: Int, _ url: String) -> [Mutation] {
    (0..<count).compactMap { number in put("Contact \(number)", (0..<channelsEach).map { "\(url)/\(number)/\($0)" }) }
  }

  /// A responder; nil if a URL is no channel.
  func put(_ name: String, _ urls: [String], phone: String = "+12025550190", tier: Int = 1) -> Mutation? {
    let details = try? ContactDetails(
      name: name, phone: phone, isResponder: true, isDependent: false, channels: urls.map { try Channel($0) },
      tier: tier)
    return details.map { mutation(.putContact($0)) }
  }

  func activation(isDrill: Bool, saying message: String? = nil) -> Mutation {
    mutation(
      .activateAlert(
        AlertActivation(
          startedAt: world.trueTime, message: message, location: nil, isDrill: isDrill, utcOffsetMinutes: nil)))
  }

  func call(in alert: AlertID, saying message: String) -> Mutation {
    Mutation(
      id: id(), entityID: EntityID(alert), occurredAt: world.trueTime,
      change: .updateAlert(AlertUpdate(at: world.trueTime, message: message)))
  }

  /// To an alert in the account's inbox.
  func answer(_ answer: ResponderAnswer, to alert: InboxID) -> Mutation {
    Mutation(
      id: id(), entityID: EntityID(alert), occurredAt: world.trueTime, change: .answerInbox(InboxAnswer(answer)))
  }

  func end(of alert: AlertID) -> Mutation {
    Mutation(
      id: id(), entityID: EntityID(alert), occurredAt: world.trueTime,
      change: .deactivateAlert(AlertDeactivation(endedAt: world.trueTime)))
  }

  private func mutation(_ change: Mutation.Change) -> Mutation {
    Mutation(id: id(), entityID: id(), occurredAt: world.trueTime, change: change)
  }

  private func id<Subject>() -> Identifier<Subject> {
    Identifier(versionSevenAt: world.trueTime, random: (random.next(), random.next()))
  }
}
