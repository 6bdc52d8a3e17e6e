import Model
import Testing
import Wire

@testable import ServerCore

/// Telephone calls to responders, whose text a gateway reads aloud.
@Suite struct `Calls` {
  let server: AlertsServer
  let device: AlertsDevice

  init() throws {
    server = try AlertsServer {
      $0.voiceGateway = GatewayTemplate(url: "https://voice.example/call")
      $0.smsGateway = GatewayTemplate(url: "https://sms.example/send")
    }
    device = try server.signIn("+12025550123")
  }

  private func add(_ channels: [String] = ["tel:+12025550199"]) throws {
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550199", isResponder: true, isDependent: false,
      channels: channels.map { try Channel($0) })
    try device.sync([device.mutation(AlertsDevice.identifier(), server.now, .putContact(details))])
  }

  /// The next call's text.
  private func call() throws -> String {
    let attempt = try #require(try server.claim().first { $0.url == "https://voice.example/call" })
    try server.complete(attempt, .status(200, retryAfter: nil))
    let root = try JSONDocument(attempt.body).root
    #expect(try root.string("to") == "+12025550199" && root.string("id").hasPrefix("\(attempt.id)"))
    return try root.string("text")
  }

  @Test func `say who needs help, since when and what they said, twice`() throws {
    try add(["tel:+12025550199", "sms:+12025550199"])
    _ = try device.raise(
      startedAt: server.now.advanced(byMilliseconds: -120_000), message: "fell\non the ridge")
    let words = """
      The person with the number plus 1 2 0 2 5 5 5 0 1 2 3 needs help. The alert was raised 2 minutes ago. \
      They say: fell on the ridge. You also got a written message, with a link to the place, and to answer.
      """
    #expect(try call() == "This is LifeSignal. \(words) Once more. \(words)")
  }

  @Test func `ask to call back where there is no other channel, and then tell that they are safe`() throws {
    try add()
    let alert = try device.raise()
    let help = try call()
    #expect(help.contains("The alert was raised just now.") && help.contains("Please call them now."))
    #expect(!help.contains("http") && !help.contains("written"))
    try device.end(alert)
    #expect(
      try call().hasPrefix("This is LifeSignal. The person with the number plus 1 2 0 2 5 5 5 0 1 2 3 is safe now."))
    #expect(try device.receipts(alert).allSatisfy { $0.state == .sent && $0.channel == .voice })
  }

  @Test func `of a drill say so first`() throws {
    try add()
    let alert = try device.raise(message: String(repeating: "a", count: 500), isDrill: true)
    let drill = try call()
    #expect(drill.hasPrefix("This is LifeSignal. This is a drill, only a test. Nobody is in danger."))
    #expect(!drill.contains("needs help") && !drill.contains("call them now") && drill.contains("aaa, and more."))
    try device.end(alert)
    #expect(try call().contains("The drill has ended."))
  }

  @Test func `say for how long the device has been silent`() throws {
    try add()
    _ = try device.raise()
    let first = try #require(try server.claim().first)
    #expect(!String(decoding: first.body, as: UTF8.self).contains("no contact"))
    try server.complete(first, .status(200, retryAfter: nil))
    server.advance(seconds: 185)
    #expect(try call().contains("There has been no contact with their device for 3 minutes. Please call them now."))
  }

  @Test func `name who is responding`() throws {
    try add()
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ben", "https://ben.example/hook")])
    _ = try device.raise()
    let help = try server.claim()
    for attempt in help { try server.complete(attempt, .status(200, retryAfter: nil)) }
    let page = try PageScene.pagePath(in: try #require(help.first { $0.url == "https://ben.example/hook" }))
    let answer = server.send(
      "POST", "\(page)/acknowledgements", Array("answer=responding".utf8),
      contentType: "application/x-www-form-urlencoded")
    #expect(answer.status == 303)
    #expect(try call().contains("Ben is responding to the alert of this person: plus 1 2 0 2 5 5 5 0 1 2 3."))
  }

  @Test func `that may have been made are not made again at once`() throws {
    try add()
    let alert = try device.raise()
    try server.complete(try #require(try server.claim().first), .networkFailure("timed out"))
    #expect(try device.receipts(alert).first?.reason == "the voice gateway cannot be reached")
    server.advance(seconds: 59)
    #expect(try server.claim().isEmpty)
    server.advance(seconds: 31)
    #expect(try server.claim().count == 1)
  }

  @Test func `and devices of the first version do not meet`() throws {
    try add()
    let alert = try device.raise()
    _ = try call()
    // It reads no answer with a channel or a word that it does not know.
    let body = #"{"device_id":"\#(device.id)","mutations":[]}"#
    let old = try SyncResponse(jsonBytes: server.send("POST", Route.sync, Array(body.utf8), token: device.token).body)
    #expect(old.receipts.map(\.channel) == [.noChannel])
    let channels = old.changes.compactMap { change -> [Channel]? in
      if case .contact(_, let record?) = change { record.details.channels } else { nil }
    }
    #expect(channels == [[]])
    #expect(try device.receipts(alert).map(\.channel) == [.voice])
  }

  @Test func `need a gateway`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "tel:+12025550199")])
    let receipt = try #require(try device.receipts(try device.raise()).first)
    #expect(receipt.state == .failed && receipt.reason == "this server has no voice gateway")
  }
}
