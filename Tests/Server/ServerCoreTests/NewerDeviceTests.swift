import Model
import Testing
import Wire

@testable import ServerCore

/// Tests a server with a newer device, whose requests have values that the server does not know.
@Suite struct `With a newer device` {
  let server: AlertsServer
  let device: AlertsDevice

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
  }

  private func exchange(_ mutations: String, sentAt: Bool = true) throws -> SyncResponse {
    let time = sentAt ? #""sent_at":"\#(server.now)","# : ""
    let body = #"{"device_id":"\#(device.id)","mood":[1],\#(time)"mutations":[\#(mutations)]}"#
    let outcome = server.send("POST", Route.sync, Array(body.utf8), token: device.token)
    try #require(outcome.status == 200, "\(outcome.text)")
    return try SyncResponse(jsonBytes: outcome.body)
  }

  private func item(_ id: MutationID, _ kind: String, of entity: EntityID, _ body: String) -> String {
    #"{"id":"\#(id)","kind":"\#(kind)","entity_id":"\#(entity)","occurred_at":"\#(server.now)","body":\#(body)}"#
  }

  @Test func `an unknown kind is refused alone, and not permanently`() throws {
    let id: MutationID = AlertsDevice.identifier()
    let entity: EntityID = AlertsDevice.identifier()
    let answer = try exchange(
      [
        #"{"id":"\#(id)","kind":"place.put","body":{}}"#,
        item(AlertsDevice.identifier(), "alert.activate", of: AlertsDevice.identifier(), #"{"pulse":120}"#),
      ].joined(separator: ","))
    #expect(answer.codes == [ReceivedMutation.unknownKind, nil] && answer.alerts.count == 1)
    // After an update the server knows the kind, and accepts the same id.
    let later = try exchange(item(id, "alert.activate", of: entity, "{}"))
    #expect(later.statuses == [.applied])
  }

  @Test func `a contact with a channel of an unknown kind is a responder by its other channels`() throws {
    let contact: ContactID = AlertsDevice.identifier()
    let body = """
      {"name":"Ana","phone":"+12025550199","responder":true,"channels":["matrix:r/room","https://example.org/hook"]}
      """
    #expect(
      try exchange(item(AlertsDevice.identifier(), "contact.put", of: EntityID(contact), body)).statuses == [.applied])
    let alert = try device.raise()
    let receipts = try device.receipts(alert)
    #expect(receipts.map(\.state).sorted { $0.rawValue < $1.rawValue } == [.failed, .queued])
    let failed = try #require(receipts.first { $0.state == .failed })
    // Older devices must be able to read the receipt.
    #expect(failed.channel == .noChannel && failed.reason == "this server does not know this kind of channel")
    #expect(try server.claim().count == 1)
  }

  @Test func `a device of the first version gets no channels that it cannot read`() throws {
    let contact: ContactID = AlertsDevice.identifier()
    let body = #"{"name":"Ana","phone":"+12025550199","channels":["matrix:r/room","https://example.org/hook"]}"#
    let put = item(AlertsDevice.identifier(), "contact.put", of: EntityID(contact), body)
    func urls(_ answer: SyncResponse) -> [String] {
      answer.changes.compactMap { change -> [String]? in
        guard case .contact(_, let record?) = change else { return nil }
        return record.details.channels.map(\.url)
      }.flatMap(\.self)
    }
    #expect(try urls(exchange(put)) == ["matrix:r/room", "https://example.org/hook"])
    #expect(try urls(exchange(put, sentAt: false)) == ["https://example.org/hook"])
  }
}
