import LocalStore
import Model
import Testing
import Wire

/// What the store keeps of values that this version does not know.
@Suite struct `From a newer server` {
  let device = Device()
  let store: LocalStore

  init() throws {
    store = try device.open()
    try store.signIn(.of(1), at: device.now)
  }

  private func pull(_ changes: String, cursor: String) throws {
    let text = """
      {"results":[],"changes":[\(changes)],"cursor":"\(cursor)","has_more":false,"epoch":"one",
      "server_time":"2026-11-21T12:00:00.000Z"}
      """
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(SyncResponse(jsonBytes: Array(text.utf8)), to: batch, at: device.now)
  }

  private static let id = "01a20046-4d7f-7066-86e8-e5057a9cf096"

  private func contact(_ channels: [String]) -> String {
    let list = channels.map { "\"\($0)\"" }.joined(separator: ",")
    return """
      {"entity":"contact","id":"\(Self.id)","contact":{"id":"\(Self.id)","name":"Ana","phone":"+12025550123",
      "responder":true,"dependent":false,"channels":[\(list)],"webhook_secret":"whsec_AA=="}}
      """
  }

  @Test func `a contact's channel of an unknown kind is shown, and survives an edit of the name here`() throws {
    let urls = ["https://example.org/hook", "matrix:r/room:example.org"]
    try pull(contact(urls), cursor: "c1")
    let shown = try #require(try store.contacts().first).contact
    #expect(shown.details.channels.map(\.url) == urls)
    let renamed = try ContactDetails(
      name: "Anna", phone: shown.details.phone, isResponder: true, isDependent: false, channels: shown.details.channels)
    _ = try store.putContact(shown.id, renamed, at: device.now)
    let body = try #require(try store.nextBatch(.all(.routine)).mutations.first).body
    #expect(body.contains(#""matrix:r/room:example.org""#) && body.contains(#""Anna""#))
    // Another device's change goes under the local edit, and the edit stays readable.
    try pull(contact(urls + ["tel:+1"]), cursor: "c2")
    #expect(try store.contacts().first?.contact.details == renamed)
    #expect(try store.check().isEmpty)
  }

  @Test func `a store with such a contact opens again without a repair`() throws {
    try pull(contact(["matrix:r/room:example.org"]), cursor: "c1")
    store.close()
    let reopened = try device.open()
    #expect(try reopened.contacts().count == 1)
    #expect(reopened.report.messages.isEmpty)
  }

  @Test func `a receipt of an unknown state shows the last known state, or the lowest, never a higher one`()
    throws
  {
    let alert = try store.activateAlert(
      AlertDraft(message: nil, location: nil, isDrill: false, utcOffsetMinutes: nil), at: device.now
    ).alert
    func receipt(_ state: String, _ more: String = "", channel: String = "matrix") -> String {
      """
      {"entity":"receipt","id":"\(Self.id)","receipt":{"id":"\(Self.id)","alert_id":"\(alert.id)","contact_id":"\(Self.id)",
      "contact_name":"Ana","notice":"activated","channel":"\(channel)","state":"\(state)",
      "at":"2026-11-21T12:00:00.000Z","reason":null\(more)}}
      """
    }
    func states() throws -> [DeliveryState] { try store.status().responders.map(\.state) }
    try pull(receipt("delivered"), cursor: "c1")
    #expect(try states() == [.queued])
    try pull(receipt("seen"), cursor: "c2")
    try pull(receipt("delivered"), cursor: "c3")
    #expect(try states() == [.seen])
    try pull(receipt("phoned", #","at_least":"sent""#), cursor: "c4")
    #expect(try states() == [.sent])
    #expect(try store.status().responders.first?.channel == .other)
    #expect(try store.status().responders.first?.reason?.contains("phoned") == true)
  }
}
