import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Tests the requests that send messages, byte for byte.
@Suite struct `Messages` {
  let noon = AlertsServer.start

  private func message(
    endedMinutes: Int64? = nil, receivedMinutes: Int64 = 0, notice: Notice = .activated, wasTold: Bool = false,
    isDrill: Bool = false, offset: Int? = 120, nowMinutes: Int64 = 0, said: String? = nil, location: Location? = nil,
    noContactSince: Timestamp? = nil
  ) throws -> DeliveryMessage {
    func after(_ minutes: Int64) -> Timestamp { noon.advanced(byMilliseconds: minutes * 60_000) }
    let alert = Alert(
      id: Identifier(versionSevenAt: noon, random: (1, 1)), startedAt: noon, endedAt: endedMinutes.map(after),
      message: said, location: location, isDrill: isDrill)
    let target = DeliveryTarget(
      account: Identifier(versionSevenAt: noon, random: (2, 2)), alert: alert.id,
      contact: Identifier(versionSevenAt: noon, random: (3, 3)), channel: try Channel("https://a.example/hook"))
    return DeliveryMessage(
      delivery: StoredDelivery(
        id: Identifier(versionSevenAt: noon, random: (4, 4)), target: target, contactName: "Ana \"A\"", notice: notice,
        state: .queued, stateAt: noon, createdAt: noon),
      alert: AlertRecord(
        alert: alert, ordinal: 1, receivedAt: after(receivedMinutes), endReceivedAt: endedMinutes.map(after)),
      told: alert, phone: "+12025550123", utcOffsetMinutes: offset, wasTold: wasTold, noContactSince: noContactSince,
      now: after(nowMinutes))
  }

  private func text(_ message: DeliveryMessage) -> String { MessageText(message).text }

  @Test func `help says who, when, what and where`() throws {
    let message = try message(said: "I fell", location: try Location(latitude: 52.52, longitude: 13.405))
    #expect(
      text(message) == """
        +12025550123 needs help.
        Alert raised 14:00 (UTC+02:00).
        Message: I fell
        Location: 52.52,13.405 https://www.openstreetmap.org/?mlat=52.52&mlon=13.405
        """)
  }

  @Test func `a late alert says so`() throws {
    #expect(!text(try message(receivedMinutes: 1)).contains("received"))
    #expect(
      text(try message(receivedMinutes: 139, nowMinutes: 139)).contains("raised 14:00, received 16:19 (UTC+02:00)"))
  }

  @Test func `another day is named`() throws {
    let text = text(try message(receivedMinutes: 24 * 60, nowMinutes: 24 * 60))
    #expect(text.contains("raised 2026-11-21 14:00, received 14:00 (UTC+02:00)"))
  }

  @Test(arguments: [(nil, "12:00 (UTC)"), (0, "12:00 (UTC)"), (-570, "02:30 (UTC-09:30)"), (345, "17:45 (UTC+05:45)")])
  func `times are those of the person in danger`(offset: Int?, expected: String) throws {
    #expect(text(try message(offset: offset)).contains(expected))
  }

  @Test func `safe after help, and both at once`() throws {
    let safe = try message(endedMinutes: 20, notice: .deactivated, wasTold: true, nowMinutes: 20)
    #expect(text(safe) == "+12025550123 is safe now.\nAlert raised 14:00, ended 14:20 (UTC+02:00).")
    let both = try message(endedMinutes: 20, receivedMinutes: 30, nowMinutes: 30, said: "I fell")
    #expect(
      text(both) == """
        +12025550123 was in danger 14:00–14:20, safe now.
        Alert raised 14:00, received 14:30, ended 14:20 (UTC+02:00).
        Message: I fell
        """)
    let untold = try message(endedMinutes: 20, notice: .deactivated, wasTold: false, nowMinutes: 20)
    #expect(text(untold).hasPrefix("+12025550123 was in danger 14:00–14:20, safe now."))
  }

  @Test func `a drill says so first`() throws {
    for message in [
      try message(isDrill: true), try message(endedMinutes: 1, isDrill: true),
      try message(endedMinutes: 1, notice: .deactivated, wasTold: true, isDrill: true),
    ] {
      #expect(text(message).hasPrefix("DRILL"))
      #expect(MessageText(message).title.hasPrefix("DRILL"))
    }
  }

  @Test func `a silence is mentioned`() throws {
    let message = try message(nowMinutes: 5, noContactSince: noon.advanced(byMilliseconds: 60_000))
    #expect(text(message).contains("No contact since 14:01 (UTC+02:00)."))
  }

  @Test(arguments: [
    (["Ana"], "Ana is responding"), (["Ana", "Ben", "Cleo"], "Ana and 2 more are responding"),
    ([], "Somebody is responding"),
  ]) func `a title says who is responding`(_ comers: [String], _ beginning: String) throws {
    var message = try message()
    message.delivery.role = .relief
    message.comers = comers
    #expect(MessageText(message).title == "LifeSignal: \(beginning)")
    message.profile = try Profile(name: "Zoe")
    #expect(MessageText(message).title == "\(beginning) to Zoe")
    let address = try #require(MailAddress("a@example.org"))
    #expect(MailText(message, from: address, to: address).subject == "\(beginning) to Zoe")
  }

  @Test func `a text message says since when, where one has room for it`() throws {
    let short = try message(said: "I fell", location: try Location(latitude: 46.5, longitude: 7.5))
    #expect(MessageText(short).short == "+12025550123 needs help\nSince 14:00 (UTC+02:00)\n46.5,7.5\nI fell")
    // One message has 160 characters of its own alphabet, and 70 of any other.
    let line = "+12025550123 needs help\nSince 14:00 (UTC+02:00)\n"
    for (said, hasRoom) in [("a", 160), ("ü", 160), ("(", 160), ("Ж", 70)].map({ ($0.0, $0.1 - line.count) }) {
      for (count, isShown) in [(hasRoom, true), (hasRoom + 1, false)] {
        let text = MessageText(try message(said: String(repeating: said, count: count))).short
        #expect(text.contains("Since 14:00") == isShown, "\(count) times \(said)")
      }
    }
    // Some of the alphabet take the room of two.
    #expect(!MessageText(try message(said: String(repeating: "[", count: 60))).short.contains("Since"))
  }

  @Test func `a text message says since when there was no contact`() throws {
    let silent = try message(
      nowMinutes: 5, said: String(repeating: "a", count: 500), location: try Location(latitude: 46.5, longitude: 7.5),
      noContactSince: noon.advanced(byMilliseconds: 60_000))
    let text = MessageText(silent).short
    #expect(text.hasPrefix("+12025550123 needs help\nNo contact since 14:01 (UTC+02:00).\n46.5,7.5\naaa"))
    #expect(text.utf16.count == 335)
  }

  @Test func `a webhook has the time of an older place`() throws {
    var message = try message(location: try Location(latitude: 46.5, longitude: 7.5))
    func body() throws -> JSONValue {
      let request = ChannelRequest.webhook(try Channel("https://a.example/hook"), message, key: [1])
      return try JSONDocument(request.body).root.required("data")
    }
    #expect(try body().optionalString("place_at") == nil)
    message.olderPlaceAt = noon
    #expect(try body().string("place_at") == "2026-11-21T12:00:00.000Z")
    #expect(try body().string("text").contains("Location at 14:00: "))
    message = message.withoutWords
    #expect(try body().optionalString("place_at") == nil)
  }

  /// The test vector is from the Standard Webhooks libraries.
  @Test func `a webhook's signature is that of Standard Webhooks`() throws {
    let key = try #require(Base64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let signature = ChannelRequest.signature(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330", body: Array(#"{"test": 2432232314}"#.utf8), key: key)
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func `a webhook, byte for byte`() throws {
    let message = try message(said: "I fell")
    let request = ChannelRequest.webhook(try Channel("https://a.example/hook?x=1"), message, key: [1, 2, 3])
    #expect(request.url == "https://a.example/hook?x=1")
    let body = """
      {"type":"alert.activated","timestamp":"2026-11-21T12:00:00.000Z","data":{"alert":{"id":"\(message.alert.alert.id)",\
      "started_at":"2026-11-21T12:00:00.000Z","ended_at":null,"message":"I fell","location":null,"drill":false,"ordinal":1,\
      "received_at":"2026-11-21T12:00:00.000Z","end_received_at":null},\
      "raised_at":"2026-11-21T12:00:00.000Z","safe_at":null,"person":{"phone":"+12025550123"},\
      "contact":{"id":"\(message.delivery.target.contact)","name":"Ana \\"A\\""},\
      "delivery_id":"\(message.delivery.id)","asked_again":0,"responding":[],"page_url":null,"text":"+12025550123 needs help.\\u000aAlert raised 14:00 (UTC+02:00).\\u000aMessage: I fell","late":false,"drill":false,\
      "no_contact_since":null}}
      """
    #expect(String(decoding: request.body, as: UTF8.self) == body)
    let signature = ChannelRequest.signature(
      id: message.delivery.id.description, timestamp: "1795262400", body: request.body, key: [1, 2, 3])
    #expect(
      request.headers == [
        HeaderField("Content-Type", "application/json"),
        HeaderField("webhook-id", message.delivery.id.description),
        HeaderField("webhook-timestamp", "1795262400"), HeaderField("webhook-signature", signature),
      ])
  }

  @Test func `a webhook's id differs if the message has more than the one before`() throws {
    func id(_ message: DeliveryMessage) throws -> String {
      let headers = ChannelRequest.webhook(try Channel("https://a.example/hook"), message, key: [1]).headers
      return try #require(headers.first { $0.name == "webhook-id" }).value
    }
    let first = try message()
    let own = first.delivery.id.description
    #expect(try id(first) == own)
    #expect(try id(try message(nowMinutes: 9)) == own)
    var updated = first
    updated.updateCount = 2
    #expect(try id(updated) == "\(own)_2")
    updated.delivery.callNumber = 2
    #expect(try id(updated) == own)
    #expect(try id(try message(endedMinutes: 3)) == "\(own)_ended")
    var anew = first
    anew.delivery.createdAt = first.delivery.createdAt.advanced(byMilliseconds: 5)
    #expect(try id(anew) == "\(own)_\(anew.delivery.createdAt.milliseconds)", "as for a changed number")
    for wasTold in [true, false] {
      #expect(try id(try message(endedMinutes: 3, notice: .deactivated, wasTold: wasTold)) == own)
    }
  }

  private func request(to topic: String, _ message: DeliveryMessage) throws -> ChannelRequest {
    let write = try #require(NtfyDriver(allowsPrivateChannels: false).writer(over: try Channel(topic)))
    return write(message, ServerKeys(secret: try SecretKey.fromTest(9)))
  }

  @Test func `a topic, byte for byte`() throws {
    let topic = "ntfy://n.example:8443/ana"
    let help = try request(to: topic, message())
    #expect(help.url == "https://n.example:8443/ana")
    #expect(
      help.headers == [
        HeaderField("Content-Type", "text/plain; charset=utf-8"),
        HeaderField("Title", "LifeSignal: help is needed"), HeaderField("Priority", "5"),
        HeaderField("Tags", "rotating_light"),
      ])
    #expect(String(decoding: help.body, as: UTF8.self) == "+12025550123 needs help.\nAlert raised 14:00 (UTC+02:00).")
    let drill = try request(to: topic, message(isDrill: true))
    #expect(drill.headers.contains(HeaderField("Priority", "3")))
  }

  @Test func `a long text is cut at a character`() throws {
    let long = try message(said: String(repeating: "👩‍🚒", count: 1000))
    let request = try request(to: "ntfy://n.example/a", long)
    #expect(request.body.count <= 4003)
    let text = try #require(String(validating: request.body, as: UTF8.self))
    #expect(text.hasSuffix("👩‍🚒…"))
  }

  @Test func `a header is ASCII`() {
    #expect(HeaderText.encoded("LifeSignal: help") == "LifeSignal: help")
    #expect(HeaderText.encoded("Hilfe für Ana") == "=?UTF-8?B?SGlsZmUgZsO8ciBBbmE=?=")
    #expect(!HeaderText.encoded("a\r\nX-Evil: 1").contains("\r"))
  }
}
