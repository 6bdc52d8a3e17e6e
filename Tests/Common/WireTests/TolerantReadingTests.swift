import Model
import Testing
import Wire

/// Answers of a server that is newer than the device, and requests of a device that is newer than the server.
@Suite struct `What this version does not know` {
  private static let id = "01a20046-4d7f-7066-86e8-e5057a9cf096"
  private static let time = "2026-11-21T12:00:00.000Z"

  private func answer(results: [String] = [], changes: [String] = []) throws -> SyncResponse {
    let text = """
      {"mood":{"a":[1]},"results":[\(results.joined(separator: ","))],"changes":[\(changes.joined(separator: ","))],
      "cursor":"c7","has_more":false,"epoch":"e","server_time":"\(Self.time)"}
      """
    return try SyncResponse(jsonBytes: Array(text.utf8))
  }

  private func alert(_ more: String = "") -> String {
    """
    {"entity":"alert","id":"\(Self.id)","alert":{"id":"\(Self.id)","started_at":"\(Self.time)","ended_at":null,
    "message":null,"location":null,"drill":false,"ordinal":1,"received_at":"\(Self.time)","end_received_at":null\(more)}}
    """
  }

  private func contact(_ channels: String, name: String = "Ana") -> String {
    """
    {"entity":"contact","id":"\(Self.id)","contact":{"id":"\(Self.id)","name":"\(name)","phone":"+12025550123",
    "responder":true,"dependent":false,"channels":\(channels),"webhook_secret":"whsec_AA==","pronouns":"she"}}
    """
  }

  private func receipt(
    channel: String = "ntfy", state: String = "sent", notice: String = "activated", more: String = ""
  )
    -> String
  {
    """
    {"entity":"receipt","id":"\(Self.id)","receipt":{"id":"\(Self.id)","alert_id":"\(Self.id)","contact_id":"\(Self.id)",
    "contact_name":"Ana","notice":"\(notice)","channel":"\(channel)","state":"\(state)","at":"\(Self.time)","reason":null\(more)}}
    """
  }

  private func receipts(_ answer: SyncResponse) -> [Receipt] {
    answer.changes.compactMap { if case .receipt(let receipt) = $0 { receipt } else { nil } }
  }

  @Test func `an unknown entity, notice or shape of a change is ignored, and the rest is read`() throws {
    let answer = try answer(changes: [
      #"{"entity":"place","id":"\#(Self.id)","place":{"floor":3}}"#, "7", "null", receipt(notice: "updated"), alert(),
      #"{"entity":"contact","id":"not an id","contact":null}"#, receipt(),
    ])
    #expect(answer.changes.count == 2 && answer.cursor == "c7")
  }

  @Test func `an unknown or unreadable result is no answer for its item, and the others are used`() throws {
    let answer = try answer(results: [
      #"{"id":"a","status":"merged"}"#, #"{"id":7,"status":"applied"}"#, #"{"status":"applied"}"#, "[]",
      #"{"id":"b","status":"applied","applied_at":"soon"}"#, #"{"id":"c","status":"rejected","code":{"n":1}}"#,
    ])
    #expect(answer.results.map(\.id) == ["b", "c"] && answer.results.map(\.status) == [.applied, .rejected])
  }

  @Test func `a server that names no channels is an old one, and names that are none are left out`() throws {
    func channels(_ member: String) throws -> [String]? {
      let text = """
        {"results":[],"changes":[],"cursor":"c7","has_more":false,"epoch":"e","server_time":"\(Self.time)"\(member)}
        """
      return try SyncResponse(jsonBytes: Array(text.utf8)).channels
    }
    #expect(try channels("") == nil)
    #expect(try channels(#","channels":null"#) == nil)
    #expect(try channels(#","channels":"webhook""#) == nil)
    #expect(try channels(#","channels":["webhook","voice",7,"two words","","Big",{}]"#) == ["webhook", "voice"])
  }

  @Test func `a profile, a test of a channel or a test of one contact that cannot be read loses nothing else`() throws {
    let tested = #""tested":[7,{"channel":"https://example.org/hook","at":"\#(Self.time)"},{"at":1}]"#
    let failed = #""failed":[{"channel":7},{"channel":"tel:+1","at":"\#(Self.time)","reason":"no\nanswer","until":1}]"#
    let contact = contact(#"["https://example.org/hook"]"#)
      .replacing(#""pronouns""#, with: tested + "," + failed + #","pronouns""#)
    let answer = try answer(changes: [
      #"{"entity":"profile","id":"\#(Self.id)","profile":{"name":""}}"#,
      #"{"entity":"profile","id":"\#(Self.id)","profile":{"name":"Ana","pronouns":"she"}}"#,
      alert(#","only":7"#), contact,
    ])
    #expect(answer.changes.count == 3)
    guard case .contact(_, let record?)? = answer.changes.last else {
      Issue.record("the contact was ignored")
      return
    }
    #expect(record.tested.map(\.url) == ["https://example.org/hook"])
    #expect(record.failed.map(\.url) == ["tel:+1"] && record.failed.map(\.reason) == ["no answer"])
  }

  @Test func `an unknown kind of channel stays with its contact unchanged`() throws {
    let urls = ["https://example.org/hook", "matrix:r/room:example.org", "ntfy://host/a/b/c", "tél:+1"]
    let list = "[{\"url\":1}," + urls.map { "\"\($0)\"" }.joined(separator: ",") + ",\"no url\"]"
    guard case .contact(_, let record?)? = try answer(changes: [contact(list)]).changes.first else {
      Issue.record("the contact was ignored")
      return
    }
    #expect(record.details.channels.map(\.url) == urls)
    #expect(record.details.channels.map(\.kind) == [.webhook, .other, .other, .other])
  }

  @Test func `a contact with more or longer parts than a person may enter is read`() throws {
    let urls = "[" + (0..<40).map { "\"https://example.org/\($0)\"" }.joined(separator: ",") + "]"
    let name = String(repeating: "n", count: 300)
    #expect(try answer(changes: [contact(urls, name: name)]).changes.count == 1)
  }

  @Test func `an alert with an unknown form of location is read without it`() throws {
    let text = alert().replacing("\"location\":null", with: #""location":{"what3words":"a.b.c"}"#)
    #expect(try answer(changes: [text]).changes.count == 1)
  }

  @Test func `a receipt of an unknown channel keeps its state, and one of an unknown state has the lowest state`()
    throws
  {
    let read = receipts(
      try answer(changes: [
        receipt(channel: "matrix"), receipt(state: "delivered"),
        receipt(state: "delivered", more: #","at_least":"sent""#),
        receipt(state: "delivered", more: #","at_least":"beamed""#),
      ]))
    #expect(read.map(\.channel) == [.other, .ntfy, .ntfy, .ntfy])
    #expect(read.map(\.state) == [.sent, .queued, .sent, .queued])
    #expect(read.map(\.unknownState) == [nil, "delivered", nil, "delivered"])
    #expect(read[1].reason?.contains("delivered") == true)
  }

  @Test func `a problem of our server with an unknown code is classified by its status`() throws {
    for (status, kind) in [(401, Problem.Kind.unauthorized), (409, .conflict), (418, .conflict), (429, .rateLimited)] {
      let text = #"{"type":"urn:lifesignal:problem:beyond-words","status":\#(status),"detail":"wait","retry":{}}"#
      let problem = try Problem(jsonBytes: Array(text.utf8))
      #expect(problem.isUnknown && problem.status == status && problem.kind == kind && problem.detail == "wait")
    }
  }

  @Test func `an item of an unknown kind is refused alone, and unknown members are ignored`() throws {
    let text = """
      {"device_id":"\(Self.id)","battery":0.4,"sent_at":"\(Self.time)","mutations":[
      {"id":"\(Self.id)","kind":"place.put","body":{}},
      {"id":"\(Self.id)","kind":"alert.activate","entity_id":"\(Self.id)","occurred_at":"\(Self.time)","mood":1,
      "body":{"pulse":120}}],
      "notifications":[{"id":"\(Self.id)","kind":"updated"}]}
      """
    let request = try SyncRequest(jsonBytes: Array(text.utf8))
    #expect(request.sentAt == Timestamp(Self.time))
    guard case .invalid(_, _, ReceivedMutation.unknownKind, _) = request.mutations[0],
      case .valid = request.mutations[1],
      case .invalid(_, ReceivedMutation.unknownKind, _) = request.notifications[0]
    else {
      Issue.record("\(request)")
      return
    }
  }

  @Test func `a device's channel with an unknown scheme is accepted, and a mistake in a known one is told`() throws {
    let unknown = try Channel(received: "matrix:r/room:example.org")
    #expect(unknown.kind == .other && !unknown.isMalformed)
    for url in ["https://", "mailto:x", "sms:12"] { #expect(try Channel(received: url).isMalformed, "\(url)") }
    for url in ["ntfy://host/a b", "no scheme", ":x", "x:", "", "1a:b"] {
      #expect(throws: InvalidInput.self, "\(url)") { try Channel(received: url) }
    }
  }
}
