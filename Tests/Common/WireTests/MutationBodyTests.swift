import Model
import Testing
import Wire

@Suite struct `Sync requests` {
  let device = DeviceID(versionSevenAt: Timestamp(milliseconds: 5), random: (5, 5))
  let occurredAt = Timestamp(milliseconds: 1_795_278_000_000)

  @Test func `every kind of mutation arrives as it was sent`() throws {
    let channel = try Channel("ntfy://ntfy.example/ana")
    let changes: [Mutation.Change] = [
      .activateAlert(
        AlertActivation(
          startedAt: occurredAt, message: "fell \"hard\"", location: try Location(latitude: 52.52, longitude: 13.405),
          isDrill: true, utcOffsetMinutes: 120)),
      .activateAlert(
        AlertActivation(
          startedAt: occurredAt, message: nil, location: nil, isDrill: true, utcOffsetMinutes: nil,
          onlyContact: ContactID(versionSevenAt: occurredAt, random: (7, 7)))),
      .putProfile(try Profile(name: "Ana García")),
      .activateAlert(
        AlertActivation(startedAt: occurredAt, message: nil, location: nil, isDrill: false, utcOffsetMinutes: nil)),
      .deactivateAlert(AlertDeactivation(endedAt: occurredAt)),
      .putContact(
        try ContactDetails(
          name: "Ana", phone: "+12025550123", isResponder: true, isDependent: true, channels: [channel])),
      .removeContact,
    ]
    let sent = changes.enumerated().map { number, change in
      Mutation(id: identifier(number), entityID: identifier(number + 100), occurredAt: occurredAt, change: change)
    }
    let request = try decode(body(sent))
    #expect(request.deviceID == device)
    #expect(received(request) == sent)
  }

  @Test func `an item that breaks a rule is refused alone`() throws {
    let request = try decode(
      envelope([
        item(0, kind: "alert.explode", body: "{}"),
        item(1, kind: "alert.activate", body: #"{"location":{"latitude":91,"longitude":0}}"#),
        item(2, kind: "contact.put", body: #"{"name":"Ana","phone":"+12025550123","channels":["https:"]}"#),
        item(3, kind: "alert.activate", body: #"{"message":"\#(String(repeating: "x", count: 1001))"}"#),
        item(4, kind: "alert.activate", body: "{}"),
      ]))
    let codes = request.mutations.map { mutation -> String in
      if case .invalid(_, _, let code, _) = mutation { code } else { "valid" }
    }
    #expect(codes == ["unknown_kind", "valid", "invalid_channel", "valid", "valid"])
  }

  @Test func `an activation takes missing values from the mutation`() throws {
    let request = try decode(envelope([item(0, kind: "alert.activate", body: "{}")]))
    let expected = AlertActivation(
      startedAt: occurredAt, message: nil, location: nil, isDrill: false, utcOffsetMinutes: nil)
    #expect(received(request).map(\.change) == [.activateAlert(expected)])
  }

  @Test(arguments: [
    #"{"device_id":"x"}"#, #"{"mutations":[]}"#, "[]", "", "{", #""text""#, "null",
    #"{"device_id":"00000000-0000-7000-8000-000000000000","mutations":{}}"#,
    #"{"device_id":"00000000-0000-7000-8000-000000000000","cursor":7}"#,
    #"{"device_id":"00000000-0000-7000-8000-000000000000","mutations":[{"id":1}]}"#,
  ])
  func `a request of a wrong shape is refused as a whole`(text: String) {
    #expect(throws: JSONError.self) { try decode(text) }
  }

  private func identifier<Subject>(_ number: Int) -> Identifier<Subject> {
    Identifier(versionSevenAt: occurredAt, random: (UInt64(number), UInt64(number)))
  }

  private func body(_ mutations: [Mutation]) -> String {
    let queued = mutations.map {
      SyncRequestWriter.QueuedMutation(
        id: $0.id, kind: $0.change.kind, entityID: $0.entityID, occurredAt: $0.occurredAt,
        body: MutationBody.text(of: $0.change))
    }
    let bytes = SyncRequestWriter.body(
      deviceID: device, cursor: nil, mutations: queued, notifications: [], limit: 10)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func item(_ number: Int, kind: String, body: String) -> String {
    let id: MutationID = identifier(number)
    return #"{"id":"\#(id)","kind":"\#(kind)","entity_id":"\#(id)","occurred_at":"\#(occurredAt)","body":\#(body)}"#
  }

  private func envelope(_ items: [String]) -> String {
    #"{"device_id":"\#(device)","mutations":[\#(items.joined(separator: ","))]}"#
  }

  private func decode(_ text: String) throws -> SyncRequest {
    try SyncRequest(jsonBytes: Array(text.utf8))
  }

  private func received(_ request: SyncRequest) -> [Mutation] {
    request.mutations.compactMap { if case .valid(let mutation) = $0 { mutation } else { nil } }
  }
}
