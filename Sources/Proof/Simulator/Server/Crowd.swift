import Model
import ServerCore
import Wire

/// Accounts that test their drills on many channels of one slow host, while a person with a responder on the same host calls
/// for help. In some runs, and after the faults are over: nothing then excuses a delay of that call.
final class Crowd {
  private static let host = "https://crowd.example"
  /// Distinct from those of the devices' people.
  private static let phones = (0..<5).map { "+1202555010\($0)" }
  /// Allowed in addition to the host's own answer time.
  private static let allowanceMilliseconds: Int64 = 1000

  private let world: World
  private let server: SimulatedServer
  private let responders: Responders
  private var random: SimulatedRandom
  private let isThere: Bool
  private let answerMilliseconds: Int64
  /// The call for help, and since when its message could have been sent.
  private var call: (alert: AlertID, since: Int64)?

  init(world: World, server: SimulatedServer, responders: Responders) {
    self.world = world
    self.server = server
    self.responders = responders
    random = world.random("crowd")
    isThere = random.chance(0.25)
    answerMilliseconds = random.number(500...3000)
  }

  func begin() {
    guard isThere else { return }
    responders.slowHost = (Self.host, answerMilliseconds)
    responders.hears = { [self] in heard($0) }
    world.after(5000) { [self] in gather() }
  }

  private func gather() {
    guard server.isUp else { return world.after(5000) { [self] in gather() } }
    let testers = Int(random.number(2...4))
    for number in 0..<testers {
      guard let member = signIn(Self.phones[number]) else { return }
      _ = send(puts(count: 5, channelsEach: 10, "\(Self.host)/\(number)") + [activation(isDrill: true)], of: member)
    }
    let caller = signIn(Self.phones[testers])
    world.after(random.number(500...5000)) { [self] in
      guard let caller else { return }
      raise(caller)
    }
  }

  private func raise(_ caller: String) {
    let mutation = activation(isDrill: false)
    guard send(puts(count: 1, channelsEach: 1, "\(Self.host)/caller") + [mutation], of: caller) else { return }
    let alert = AlertID(mutation.entityID)
    call = (alert, world.now)
    world.note("crowd", "somebody calls for help: \(alert)")
    let latest = Self.allowanceMilliseconds + answerMilliseconds
    world.after(latest) { [self] in
      guard call?.alert == alert else { return }
      world.oracle.findings.add(
        .nothingLost,
        "the first message of alert \(alert) waits behind other people's drills for more than \(latest) ms",
        at: world.now)
    }
  }

  private func heard(_ message: ResponderMessage) {
    if message.alert == call?.alert { call = nil }
  }

  // MARK: Requests

  /// The access token.
  private func signIn(_ phone: String) -> String? {
    let asked = post(Route.verifications, VerificationRequest(phone: phone, region: nil).json(), token: nil)
    guard let asked, let verification = try? VerificationResponse(jsonBytes: asked), let code = server.codes[phone]
    else {
      return nil
    }
    let request = SessionRequest(verificationID: verification.verificationID, code: code, deviceName: "crowd")
    return post(Route.sessions, request.json(), token: nil)
      .flatMap { try? SessionResponse(jsonBytes: $0) }?.tokens.accessToken
  }

  /// Sends the mutations, with a notification request for each alert that they raise.
  private func send(_ mutations: [Mutation], of token: String) -> Bool {
    let queued = mutations.map {
      SyncRequestWriter.QueuedMutation(
        id: $0.id, kind: $0.change.kind, entityID: $0.entityID, occurredAt: $0.occurredAt,
        body: MutationBody.text(of: $0.change))
    }
    let notifications = mutations.filter { $0.change.kind == .activateAlert }.map {
      NotificationRequest(id: id(), alertID: AlertID($0.entityID), notice: .activated)
    }
    let body = SyncRequestWriter.body(
      deviceID: id(), cursor: nil, mutations: queued, notifications: notifications, limit: 500, sentAt: world.trueTime)
    return post(Route.sync, body, token: token) != nil
  }

  private func post(_ path: String, _ body: [UInt8], token: String?) -> [UInt8]? {
    let request = ServerRequest(
      method: "POST", path: path, authorization: token.map { "Bearer \($0)" }, contentType: "application/json",
      body: body, remoteAddress: "198.51.100.1")
    guard case .full(let answer)? = server.respond(to: request), answer.status < 300 else { return nil }
    return answer.body
  }

  private func puts(count: Int, channelsEach: Int, _ url: String) -> [Mutation] {
    (0..<count).compactMap { number in
      let details = try? ContactDetails(
        name: "Contact \(number)", phone: "+12025550190", isResponder: true, isDependent: false,
        channels: (0..<channelsEach).map { try Channel("\(url)/\(number)/\($0)") })
      return details.map { mutation(.putContact($0)) }
    }
  }

  private func activation(isDrill: Bool) -> Mutation {
    mutation(
      .activateAlert(
        AlertActivation(
          startedAt: world.trueTime, message: nil, location: nil, isDrill: isDrill, utcOffsetMinutes: nil)))
  }

  private func mutation(_ change: Mutation.Change) -> Mutation {
    Mutation(id: id(), entityID: id(), occurredAt: world.trueTime, change: change)
  }

  private func id<Subject>() -> Identifier<Subject> {
    Identifier(versionSevenAt: world.trueTime, random: (random.next(), random.next()))
  }
}
