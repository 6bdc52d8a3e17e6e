import DeviceCore
import Model

@testable import LocalStore
@testable import Wire

extension FuzzTarget {
  /// Any JSON: a parsed document is written back, and reads the same. Its depth is limited.
  static let json = FuzzTarget("json") {
    Sample.syncRequests + Sample.syncResponses.map { $0.json() } + Sample.problems + [
      Array(#"[0,-1.5e-7,"\ud83d\ude00\u0000\/",{"a":{"a":[]},"":null},true,false,null]"#.utf8),
      Array(String(repeating: "[", count: 32).utf8) + Array(String(repeating: "]", count: 32).utf8),
    ]
  } run: { bytes in
    guard let document = try? JSONDocument(bytes) else { return }
    let written = rewritten(document)
    guard let again = try? JSONDocument(written) else { return require(false, "what was written reads again") }
    require(rewritten(again) == written, "what was read again is the same")
  }

  /// A device's request: each valid item is written back and reads the same.
  static let syncRequest = FuzzTarget("sync-request") {
    Sample.syncRequests
  } run: { bytes in
    guard let request = try? SyncRequest(jsonBytes: bytes) else { return }
    for case .valid(let mutation) in request.mutations {
      let text = MutationBody.text(of: mutation.change)
      let read = try? Mutation.Change.read(
        kind: mutation.change.kind, occurredAt: mutation.occurredAt, body: JSONDocument(Array(text.utf8)).root
      ).get()
      require(read == mutation.change, "a mutation's body reads back as what it was")
    }
    let mutations = request.mutations.compactMap { item -> SyncRequestWriter.QueuedMutation? in
      guard case .valid(let mutation) = item else { return nil }
      return SyncRequestWriter.QueuedMutation(
        id: mutation.id, kind: mutation.change.kind, entityID: mutation.entityID, occurredAt: mutation.occurredAt,
        body: MutationBody.text(of: mutation.change))
    }
    let body = SyncRequestWriter.body(
      deviceID: request.deviceID, cursor: request.cursor, mutations: mutations, notifications: [],
      limit: request.limit ?? 1)
    let again = try? SyncRequest(jsonBytes: body)
    require(
      again?.mutations.count == mutations.count && again?.cursor == request.cursor,
      "a request reads back as what it was")
  }

  static let syncResponse = FuzzTarget("sync-response") {
    Sample.syncResponses.map { $0.json() }
  } run: { bytes in
    roundTrip(bytes, as: SyncResponse.self) { $0.json() }
  }

  /// The first byte chooses the body.
  static let bodies = FuzzTarget("bodies") {
    bodySeeds.enumerated().map { [UInt8($0.offset)] + $0.element } + Sample.problems.map { [8] + $0 }
  } run: { bytes in
    let body = Array(bytes.dropFirst())
    switch bytes.first.map({ $0 % 10 }) {
    case 0: roundTrip(body, as: VerificationRequest.self) { $0.json() }
    case 1: roundTrip(body, as: VerificationResponse.self) { $0.json() }
    case 2: roundTrip(body, as: SessionRequest.self) { $0.json() }
    case 3: roundTrip(body, as: SessionResponse.self) { $0.json() }
    case 4: roundTrip(body, as: TokenRequest.self) { $0.json() }
    case 5: roundTrip(body, as: TokenResponse.self) { $0.json() }
    case 6: roundTrip(body, as: HealthResponse.self) { $0.json() }
    case 7: _ = try? PendingVerification(jsonBytes: body)
    case 8: roundTrip(body, as: Problem.self) { $0.json() }
    default: roundTrip(body, as: Change.self, write)
    }
  }

  /// Bodies from a device's queue and spool; the first byte chooses. What can be read is sent as it is stored.
  static let storedBodies = FuzzTarget("stored-bodies") {
    Sample.changes.enumerated().map { [UInt8($0.offset)] + Array(MutationBody.text(of: $0.element).utf8) }
  } run: { bytes in
    let text = Array(bytes.dropFirst()).text
    _ = isJSON(text)
    if let details = try? ContactDetails(storedBody: text) {
      let again = try? ContactDetails(storedBody: MutationBody.text(of: .putContact(details)))
      require(again == details, "a stored contact reads back as what it was")
    }
    if let activation = try? AlertActivation(storedBody: text) {
      let again = try? AlertActivation(storedBody: MutationBody.text(of: .activateAlert(activation)))
      require(again == activation, "a stored alert reads back as what it was")
    }
  }
}

private var bodySeeds: [[UInt8]] {
  let tokens = TokenResponse(accessToken: "lsa_AAAA", refreshToken: "lsr_BBBB", expiresAt: Sample.now)
  var changes: [[UInt8]] = []
  for change in Sample.syncResponses[0].changes.prefix(1) { changes.append(write(change)) }
  let verification =
    #"{"verification_id":"a","phone":"+12025550123","endpoint":"https://a","expires_at":"2026-11-21T12:00:00Z","resend_at":"2026-11-21T12:00:00Z"}"#
  var problem = Problem(.rateLimited, "no")
  problem.work = WorkChallenge(text: "abc", zeroBits: 16, nonceCount: 8)
  return [
    VerificationRequest(
      phone: "(202) 555-0123", region: "US", proof: WorkProof(challenge: "abc", nonces: [1, 1 << 40])
    ).json(),
    VerificationResponse(verificationID: "abc", expiresAt: Sample.now, resendAt: Sample.now).json(),
    SessionRequest(verificationID: "abc", code: "123 456", deviceName: "kitchen").json(),
    SessionResponse(
      tokens: tokens, alertKey: "lsk_CCCC", user: .init(id: Sample.identifier(6), phone: "+12025550123")
    ).json(),
    TokenRequest(refreshToken: "lsr_BBBB").json(), tokens.json(), HealthResponse(serverTime: Sample.now).json(),
    Array(verification.utf8), problem.json(),
  ] + changes
}

private func write(_ change: Change) -> [UInt8] {
  var json = JSONWriter()
  change.write(to: &json)
  return json.bytes
}

/// What parses is written back, and parses to the same value.
private func roundTrip<Body: JSONBody & Equatable>(_ bytes: [UInt8], as type: Body.Type, _ write: (Body) -> [UInt8]) {
  guard let body = try? Body(jsonBytes: bytes) else { return }
  require((try? Body(jsonBytes: write(body))) == body, "\(type) reads back as what it was")
}

/// The document rebuilt from its own values, names and numbers.
private func rewritten(_ document: JSONDocument) -> [UInt8] {
  var json = JSONWriter()
  rewrite(document.root, depth: 0, &json)
  return json.bytes
}

private func rewrite(_ value: JSONValue, depth: Int, _ json: inout JSONWriter) {
  require(depth <= JSONDocument.maximumDepth, "no document is deeper than the bound")
  let tokens = value.document.tokens
  let token = tokens[value.index]
  switch token.kind {
  case .object:
    json.object { json in
      var position = value.index + 1
      while position < Int(token.next) {
        let member = JSONValue(document: value.document, index: Int(tokens[position].next))
        json.key((try? JSONValue(document: value.document, index: position).string()) ?? "")
        rewrite(member, depth: depth + 1, &json)
        position = Int(tokens[member.index].next)
      }
    }
  case .array:
    json.array { json in
      for element in (try? value.array()) ?? JSONElements(document: value.document, position: 0, end: 0) {
        rewrite(element, depth: depth + 1, &json)
      }
    }
  case .string: json.string((try? value.string()) ?? "")
  case .number:
    _ = try? value.integer()
    _ = try? value.double()
    json.raw(value.withPlainBytes { String(decoding: $0, as: UTF8.self) } ?? "null")
  case .yes, .no: json.boolean((try? value.boolean()) ?? false)
  case .null: json.null()
  }
}
