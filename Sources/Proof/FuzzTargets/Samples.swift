import Model
import Wire

/// Values made by the product, to start from.
enum Sample {
  static let now = Timestamp(milliseconds: 1_795_262_400_000)  // 2026-11-21T12:00:00Z

  static func identifier<Subject>(_ number: UInt64) -> Identifier<Subject> {
    Identifier(versionSevenAt: now, random: (number, number))
  }

  static let location = try? Location(latitude: 52.52, longitude: -13.405)

  static let activation = Mutation.Change.activateAlert(
    AlertActivation(
      startedAt: now, message: "Help, “now” 🚨\n\tthird floor \\ back", location: location, isDrill: false,
      utcOffsetMinutes: 60))
  static let deactivation = Mutation.Change.deactivateAlert(AlertDeactivation(endedAt: now))

  static func contact(_ name: String = "李小龍") -> ContactDetails? {
    let urls = [
      "https://hooks.example.org/a?b=c", "ntfy://ntfy.example.org/topic_1", "mailto:ana@example.org",
      "sms:+12025550123", "tel:+12025550123",
      "http://127.0.0.1:8080/hook",
    ]
    return try? ContactDetails(
      name: name, phone: "+12025550199", isResponder: true, isDependent: false, channels: urls.map { try Channel($0) })
  }

  static var changes: [Mutation.Change] {
    [activation, deactivation, .removeContact] + (contact().map { [.putContact($0)] } ?? [])
      + ((try? Profile(name: "Ana")).map { [.putProfile($0)] } ?? [])
  }

  static func queued(_ change: Mutation.Change, _ number: UInt64) -> SyncRequestWriter.QueuedMutation {
    SyncRequestWriter.QueuedMutation(
      id: identifier(number), kind: change.kind, entityID: identifier(change.kind.lane == .emergency ? 1 : 2),
      occurredAt: now,
      body: MutationBody.text(of: change))
  }

  static var syncRequests: [[UInt8]] {
    let all = changes.enumerated().map { queued($0.element, UInt64($0.offset) + 10) }
    let notifications = [
      NotificationRequest(id: identifier(20), alertID: identifier(1), notice: .activated),
      NotificationRequest(id: identifier(21), alertID: identifier(1), notice: .deactivated),
    ]
    func body(
      _ mutations: [SyncRequestWriter.QueuedMutation], _ notifications: [NotificationRequest], _ cursor: String?
    ) -> [UInt8] {
      SyncRequestWriter.body(
        deviceID: identifier(3), cursor: cursor, mutations: mutations, notifications: notifications, limit: 500)
    }
    return [
      body([], [], nil), body(all, notifications, "v1.abc.7.1f"), body(Array(all.prefix(1)), [notifications[0]], nil),
      body(Array(all.suffix(1)), [], "v1.abc.0.0"),
    ]
  }

  static var alertRecord: AlertRecord {
    AlertRecord(
      alert: Alert(
        id: identifier(1), startedAt: now, endedAt: now, message: "Help\u{0301}", location: location, isDrill: true),
      ordinal: 1, receivedAt: now, endReceivedAt: now)
  }

  static var receipt: Receipt {
    Receipt(
      id: identifier(4), alertID: identifier(1), contactID: identifier(2), contactName: "Ana", notice: .activated,
      channel: .ntfy,
      state: .failed, at: now, reason: "the channel answered 410")
  }

  static var syncResponses: [SyncResponse] {
    var changes: [Change] = [.alert(alertRecord), .receipt(receipt), .contact(identifier(5), nil)]
    if let details = contact() {
      changes.append(.contact(identifier(2), ContactRecord(details: details, webhookSecret: "whsec_AAAA")))
    }
    let results = [
      ItemResult(id: "0", status: .applied, appliedAt: now), ItemResult(id: "1", status: .duplicate, appliedAt: now),
      ItemResult(id: "2", status: .rejected, code: "invalid_body", message: "no"),
    ]
    return [
      SyncResponse(
        results: results, changes: changes, cursor: "v1.abc.7.1f", hasMore: false, epoch: "abc", serverTime: now,
        channels: ["webhook", "ntfy"]),
      SyncResponse(results: [], changes: [], cursor: "", hasMore: true, epoch: "", serverTime: now),
    ]
  }

  static let problems: [[UInt8]] = Problem.Kind.allCases.prefix(4).map { Problem($0, "This is why.").json() }
}
