import Model
import ServerCore
import Wire

/// What a server is asked by a device, by a second device of the same account, and by its delivery loop.
enum ServerScript {
  struct Step: Sendable {
    var name: String
    var body: @Sendable (ServerStepContext) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (ServerStepContext) throws -> Void) {
      self.name = name
      self.body = body
    }
  }

  static let steps: [Step] = signingIn + alert + ending + leaving

  private static let signingIn = [
    Step("ask for a code") { context in
      let request = VerificationRequest(phone: "+12025550123", region: nil)
      let outcome = try context.send("POST", Route.verifications, request.json(), expected: 201)
      context.note(try VerificationResponse(jsonBytes: outcome.body).verificationID, as: "verification")
      context.note(outcome.codes.first?.code ?? "", as: "code")
    },
    Step("guess wrong") { context in
      let wrong = context.recall("code") == "000000" ? "000001" : "000000"
      let request = SessionRequest(
        verificationID: context.recall("verification"), code: wrong, deviceName: "phone")
      try context.send("POST", Route.sessions, request.json(), expected: 422)
    },
    Step("sign in") { context in
      let request = SessionRequest(
        verificationID: context.recall("verification"), code: context.recall("code"), deviceName: "phone")
      let outcome = try context.send("POST", Route.sessions, request.json(), expected: 201)
      let session = try SessionResponse(jsonBytes: outcome.body)
      context.note(session.tokens.accessToken, as: "access")
      context.note(session.tokens.refreshToken, as: "refresh")
      context.note(session.alertKey, as: "key")
    },
    Step("add a responder") { context in
      try sync(context, mutations: [.put(context, 1, "Ana"), .put(context, 2, "Ben")])
    },
  ]

  private static let alert = [
    Step("raise an alert") { context in
      try sync(
        context, mutations: [.activate(context, 10)],
        notifications: [NotificationRequest(id: context.identifier(11), alertID: alertID(context), notice: .activated)])
    },
    claim("claim the deliveries"),
    complete("record one as sent", "delivery 0", .status(200, retryAfter: nil)),
    complete("record another as failed", "delivery 1", .status(503, retryAfter: "30")),
    Step("refresh the tokens") { context in
      let outcome = try context.send(
        "POST", Route.tokens, TokenRequest(refreshToken: context.recall("refresh")).json(), expected: 200)
      context.note(try TokenResponse(jsonBytes: outcome.body).accessToken, as: "access")
    },
    claim("claim the failed one again"),
    complete("record it as sent", "delivery 0", .status(200, retryAfter: nil)),
    Step("reject an end without an alert, and accept a contact") { context in
      try sync(context, mutations: [.deactivate(context, 99, mutation: 20), .put(context, 3, "Cleo")])
    },
  ]

  private static let ending = [
    Step("end the alert") { context in
      try sync(
        context, mutations: [.deactivate(context, 10, mutation: 21)],
        notifications: [
          NotificationRequest(id: context.identifier(22), alertID: alertID(context), notice: .deactivated)
        ])
    },
    Step("remove a contact") { context in
      try sync(
        context,
        mutations: [
          Mutation(
            id: context.identifier(30), entityID: context.identifier(3), occurredAt: context.now,
            change: .removeContact)
        ])
    },
    Step("send everything to another device") { context in try sync(context, device: 2, cursor: nil, mutations: []) },
    Step("start a new epoch for a device with a newer cursor") { context in
      let parts = context.recall("cursor").split(separator: ".")
      guard parts.count == 4, let sequence = Int(parts[2]) else { throw ServerStepContext.NotAnswered(status: 0) }
      let cursor = "\(parts[0]).\(parts[1]).\(sequence + 1000).\(parts[3])"
      try sync(context, cursor: cursor, mutations: [], keepsCursor: false)
    },
  ]

  private static let leaving = [
    Step("raise an alert with the alert key") { context in
      let body = request(context, device: 1, cursor: nil, mutations: [.activate(context, 40)], notifications: [])
      try context.send("POST", Route.sync, body, token: context.recall("key"), expected: 200)
    },
    Step("sign out") { context in
      try context.send("DELETE", Route.currentSession, token: context.recall("access"), expected: 204)
    },
  ]
}

// Steps.
extension ServerScript {
  private static func alertID(_ context: ServerStepContext) -> AlertID { context.identifier(10) }

  private static func claim(_ name: String) -> Step {
    Step(name) { context in
      let claimed = try context.core.claimDeliveries(limit: 10, at: context.moment, in: context.store)
      for (index, attempt) in claimed.attempts.enumerated() {
        context.note(attempt.id.description, as: "delivery \(index)")
        context.note("\(attempt.number)", as: "attempt of delivery \(index)")
        context.note(attempt.target.account.description, as: "account of delivery \(index)")
        context.note(attempt.target.alert.description, as: "alert of delivery \(index)")
        context.note(attempt.target.contact.description, as: "contact of delivery \(index)")
      }
    }
  }

  private static func complete(_ name: String, _ key: String, _ answer: DeliveryAnswer) -> Step {
    Step(name) { context in
      guard let id = DeliveryID(context.recall(key)), let attempt = Int(context.recall("attempt of \(key)")),
        let account = AccountID(context.recall("account of \(key)")),
        let alert = AlertID(context.recall("alert of \(key)")),
        let contact = ContactID(context.recall("contact of \(key)"))
      else { throw ServerStepContext.NotAnswered(status: 0) }
      let target = DeliveryTarget(account: account, alert: alert, contact: contact, channel: nil)
      let completion = DeliveryCompletion(id: id, to: target, attempt: attempt, answer: answer)
      _ = try context.core.completeDelivery(completion, at: context.moment, in: context.store)
    }
  }

  private static func sync(
    _ context: ServerStepContext, device: UInt64 = 1, cursor: String? = nil, mutations: [Mutation],
    notifications: [NotificationRequest] = [], keepsCursor: Bool = true
  ) throws {
    let body = request(
      context, device: device, cursor: cursor, mutations: mutations, notifications: notifications)
    let outcome = try context.send("POST", Route.sync, body, token: context.recall("access"), expected: 200)
    if keepsCursor { context.note(try SyncResponse(jsonBytes: outcome.body).cursor, as: "cursor") }
  }

  private static func request(
    _ context: ServerStepContext, device: UInt64, cursor: String?, mutations: [Mutation],
    notifications: [NotificationRequest]
  ) -> [UInt8] {
    SyncRequestWriter.body(
      deviceID: context.identifier(1000 + device), cursor: cursor,
      mutations: mutations.map {
        SyncRequestWriter.QueuedMutation(
          id: $0.id, kind: $0.change.kind, entityID: $0.entityID, occurredAt: $0.occurredAt,
          body: MutationBody.text(of: $0.change))
      }, notifications: notifications, limit: 500)
  }
}

extension Mutation {
  fileprivate static func put(_ context: ServerStepContext, _ number: UInt64, _ name: String) throws -> Mutation {
    let details = try ContactDetails(
      name: name, phone: "+1202555015\(number)", isResponder: true, isDependent: false,
      channels: [Channel("https://example.org/\(number)")])
    return Mutation(
      id: context.identifier(100 + number), entityID: context.identifier(number), occurredAt: context.now,
      change: .putContact(details))
  }

  fileprivate static func activate(_ context: ServerStepContext, _ number: UInt64) -> Mutation {
    Mutation(
      id: context.identifier(100 + number), entityID: context.identifier(number), occurredAt: context.now,
      change: .activateAlert(
        AlertActivation(
          startedAt: context.now, message: "help", location: nil, isDrill: false, utcOffsetMinutes: nil)))
  }

  fileprivate static func deactivate(
    _ context: ServerStepContext, _ number: UInt64, mutation: UInt64
  ) -> Mutation {
    Mutation(
      id: context.identifier(mutation), entityID: context.identifier(number), occurredAt: context.now,
      change: .deactivateAlert(AlertDeactivation(endedAt: context.now)))
  }
}
