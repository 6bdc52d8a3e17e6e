import Model
import Testing
import Wire

@testable import ServerCore

/// Tests `alert.update`, a further call for help in an active alert.
@Suite struct `An update` {
  let server: AlertsServer
  let device: AlertsDevice
  let other: AlertsDevice
  let alert: AlertID

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
    other = device.another()
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://ana.example/hook")])
    alert = try device.raise(message: "one")
    try deliver()
  }

  private func update(_ message: String? = nil, _ latitude: Double? = nil) throws -> Mutation {
    let location = try latitude.map { try Location(latitude: $0, longitude: 13) }
    return device.mutation(
      EntityID(alert), server.now,
      .updateAlert(AlertUpdate(at: server.now, message: message, location: location, batteryPercent: 9)))
  }

  private func end(_ device: AlertsDevice, seen: [MutationID]?) throws -> ItemResult {
    let mutation = device.mutation(
      EntityID(alert), server.now, .deactivateAlert(AlertDeactivation(endedAt: server.now, seenUpdates: seen)))
    return try #require(try device.sync([mutation]).results.first)
  }

  /// Sends all due messages, and returns their texts.
  @discardableResult
  private func deliver() throws -> [String] {
    let claimed = try server.claim()
    for attempt in claimed { try server.complete(attempt, .status(200, retryAfter: nil)) }
    return claimed.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `is sent again to everyone who was told, with the last message`() throws {
    let update = try update("two", 52.5)
    let answer = try device.sync([update])
    #expect(answer.statuses == [.applied])
    #expect(answer.alerts.first?.newestUpdate?.id == update.id)
    #expect(answer.alerts.first?.alert.message == "one")
    let texts = try deliver()
    #expect(texts.count == 1)
    #expect(texts.first?.contains("Message: two") == true && texts.first?.contains("52.5,13") == true)
    #expect(texts.first?.contains("First message: one") == true && texts.first?.contains("updated ") == true)
    #expect(try device.receipts(alert).map(\.notice) == [.activated, .activated])
    #expect(try device.sync([update]).statuses == [.duplicate])
    #expect(try deliver().isEmpty)
  }

  @Test
  func
    `is one message with those that came in the same exchange, and tells the newest words first`()
    throws
  {
    server.advance(seconds: 60)
    try device.sync([
      try update("left leg broken"), try update("rope is stuck"), try update("it is snowing"),
    ])
    let texts = try deliver()
    #expect(texts.count == 1)
    let text = try #require(texts.first)
    #expect(text.contains("Message: it is snowing"))
    #expect(
      text.contains(
        "Message at 12:02: rope is stuck\\u000aMessage at 12:02: left leg broken\\u000aFirst message: one"
      ))
    #expect(try deliver().isEmpty)
    #expect(try device.receipts(alert).count == 2)
  }

  @Test func `has as many of the earlier words in its message as fill another one`() throws {
    let long = String(repeating: "x", count: 600)
    try device.sync([try update("a\(long)"), try update("b\(long)"), try update("newest")])
    let text = try #require(try deliver().first)
    #expect(
      text.contains("Message: newest") && text.contains("b\(long)") && !text.contains("a\(long)"))
    #expect(text.contains("First message: one"))
  }

  @Test func `without a location is sent with the newest one and its time`() throws {
    try device.end(alert)
    try deliver()
    let second = try device.raise(message: "here", location: try Location(latitude: 1, longitude: 2), offset: 90)
    #expect(try deliver().contains { $0.contains("\\u000aLocation: 1.0,2.0 ") })
    // The location of each further call, and its line in the message. The alert was raised at 13:31 by the person's
    // clock.
    let calls: [(place: Location?, line: String)] = [
      (nil, "Location at 13:31: 1.0,2.0 "), (try Location(latitude: 3, longitude: 4), "Location: 3.0,4.0 "),
      (nil, "Location at 13:51: 3.0,4.0 "), (try Location(latitude: 1, longitude: 2), "Location: 1.0,2.0 "),
      (nil, "Location at 14:11: 1.0,2.0 "),
    ]
    for (number, call) in calls.enumerated() {
      server.advance(seconds: 600)
      let update = AlertUpdate(at: server.now, message: "call \(number)", location: call.place)
      try device.sync([device.mutation(EntityID(second), server.now, .updateAlert(update))])
      let text = try #require(try deliver().first)
      #expect(text.contains("Message: call \(number)\\u000a\(call.line)"))
    }
  }

  @Test func `without anything new is stored, and sent to nobody`() throws {
    #expect(try device.sync([try update()]).statuses == [.applied])
    #expect(try deliver().isEmpty)
    #expect(try device.sync([try update("one")]).statuses == [.applied])
    #expect(try deliver().isEmpty)
  }

  @Test func `without anything new is sent to nobody while a message is on its way`() throws {
    try device.sync([try update("two")])
    let first = try server.claim()
    try device.sync([try update()])
    try device.sync([try update("two")])
    for attempt in first { try server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(try deliver().isEmpty)
    #expect(try device.receipts(alert).count == 2)
  }

  @Test func `without anything new leaves a call of which a message on its way says nothing to be sent`() throws {
    try device.sync([try update("two")])
    let first = try server.claim()
    try device.sync([try update("three")])
    try device.sync([try update()])
    for attempt in first { try server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(try deliver().map { $0.contains("Message: three") } == [true])
    #expect(try deliver().isEmpty)
  }

  private func battery(_ percent: Int) throws -> Mutation {
    device.mutation(
      EntityID(alert), server.now,
      .updateAlert(AlertUpdate(at: server.now, batteryPercent: percent, isCall: false)))
  }

  @Test func `of the battery level alone is stored, and sent to nobody, also while a message is on its way`() throws {
    #expect(try device.sync([try battery(40)]).alerts.first?.newestUpdate?.update.batteryPercent == 40)
    #expect(try deliver().isEmpty)
    try device.sync([try update("two")])
    let first = try server.claim()
    try device.sync([try battery(39)])
    try device.sync([try battery(38)])
    for attempt in first { try server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(try deliver().isEmpty)
    #expect(try device.receipts(alert).count == 2)
  }

  @Test func `of the battery level leaves a call of which a message on its way says nothing to be sent`() throws {
    try device.sync([try update("two")])
    let first = try server.claim()
    try device.sync([try update("three")])
    try device.sync([try battery(39)])
    for attempt in first { try server.complete(attempt, .status(200, retryAfter: nil)) }
    let texts = try deliver()
    #expect(texts.count == 1 && texts.first?.contains("Message: three") == true)
    #expect(texts.first?.contains("Battery of the device: 39 %") == true)
  }

  @Test func `keeps earlier values that this one omits`() throws {
    try device.sync([try update("two")])
    let answer = try device.sync([try update(nil, 3)])
    let newest = answer.alerts.first?.newestUpdate?.update
    #expect(newest?.message == "two" && newest?.location?.latitude == 3 && newest?.batteryPercent == 9)
    #expect(try deliver().first?.contains("Message: two") == true)
  }

  @Test func `during a delivery is sent when that has ended`() throws {
    try device.sync([try update("two")])
    let first = try server.claim()
    try device.sync([try update("three")])
    #expect(try server.claim().isEmpty)
    for attempt in first { try server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(try deliver().map { $0.contains("Message: three") } == [true])
  }

  @Test(arguments: [
    DeliveryAnswer.networkFailure("timed out"), .status(503, retryAfter: nil), .status(404, retryAfter: nil),
  ])
  func `during an attempt that hangs or fails is sent as soon as that has ended`(answer: DeliveryAnswer) throws {
    try device.sync([try update("two")])
    for _ in 1...6 { try fail(answer) }
    server.advance(seconds: 60)
    let attempt = try #require(try server.claim().first)
    try device.sync([try update("three")])
    try server.complete(attempt, answer)
    let next = try server.claim()
    #expect(texts(next).map { $0.contains("Message: three") } == [true])
    // A message without anything new waits for its backoff.
    for attempt in next { try server.complete(attempt, answer) }
    #expect(try server.claim().isEmpty)
  }

  @Test func `during a backoff is sent at once, even without anything new`() throws {
    try device.sync([try update("two")])
    for _ in 1...6 { try fail(.networkFailure("reset")) }
    #expect(try server.claim().isEmpty)
    try device.sync([try update("three")])
    let claimed = try server.claim()
    #expect(texts(claimed).map { $0.contains("Message: three") } == [true])
    for attempt in claimed { try server.complete(attempt, .networkFailure("reset")) }
    #expect(try server.claim().isEmpty)
    let press = AlertUpdate(at: server.now)
    try device.sync([device.mutation(EntityID(alert), server.now, .updateAlert(press))])
    #expect(try deliver().map { $0.contains("updated ") } == [true])
  }

  @Test func `and an end wait as long as a host's Retry-After`() throws {
    try device.sync([try update("two")])
    let attempt = try #require(try server.claim().first)
    try device.sync([try update("three")])
    try server.complete(attempt, .status(503, retryAfter: "120"))
    server.advance(seconds: 60)
    try device.sync([try update("four")])
    try device.end(alert)
    #expect(try server.claim().isEmpty)
    #expect(try server.nextDue() == server.now.advanced(byMilliseconds: 60_000))
  }

  @Test func `that hangs does not delay an end, made meanwhile or during the backoff`() throws {
    try device.end(alert)
    try deliver()
    for endsMeanwhile in [true, false] {
      let alert = try device.raise()
      for _ in 1...6 { try fail(.networkFailure("timed out")) }
      if endsMeanwhile {
        server.advance(seconds: 60)
        let attempt = try #require(try server.claim().first)
        try device.end(alert)
        try server.complete(attempt, .networkFailure("timed out"))
      } else {
        try fail(.networkFailure("timed out"))
        #expect(try server.claim().isEmpty)
        try device.end(alert)
      }
      #expect(try deliver().map { $0.contains("safe now") } == [true])
    }
  }

  /// Attempts the messages that are due within a minute, and lets them fail.
  @discardableResult
  private func fail(_ answer: DeliveryAnswer) throws -> [DeliveryAttempt] {
    var claimed = try server.claim()
    if claimed.isEmpty {
      server.advance(seconds: 60)
      claimed = try server.claim()
    }
    for attempt in claimed { try server.complete(attempt, answer) }
    return claimed
  }

  private func texts(_ attempts: [DeliveryAttempt]) -> [String] {
    attempts.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `fails with its reason if the server cannot use the channel any more`() throws {
    let server = try AlertsServer { $0.allowsPrivateChannels = true }
    let device = try server.signIn("+12025550123")
    try device.sync([
      try device.contact(AlertsDevice.identifier(), "Ana", "http://a.example/", "http://b.example/")
    ])
    let alert = try device.raise(message: "one")
    let attempts = try server.claim()
    try server.complete(attempts[0], .status(200, retryAfter: nil))
    try server.complete(attempts[1], .status(503, retryAfter: "120"))
    try server.restart { $0.allowsPrivateChannels = false }
    for message in ["two", "three"] {
      server.advance(seconds: 1)
      let update = AlertUpdate(at: server.now, message: message)
      try device.sync([device.mutation(EntityID(alert), server.now, .updateAlert(update))])
      let receipts = try device.receipts(alert)
      #expect(receipts.filter { $0.state == .sent }.count == 1 && receipts.count == 3)
      let failed = receipts.filter { $0.state == .failed && $0.reason == "this server does not send over plain HTTP" }
      #expect(failed.count == 2)
    }
    #expect(try server.claim().isEmpty)
    #expect(try server.nextDelivery() == nil)
  }

  @Test func `is sent before the end, and the end once`() throws {
    try device.sync([try update("two")])
    try device.end(alert)
    let texts = try deliver() + deliver()
    #expect(texts.count == 1 && texts.first?.contains("safe now") == true)
    #expect(try device.receipts(alert).filter { $0.notice == .deactivated }.map(\.state) == [.sent])
  }

  @Test func `of an ended alert is refused, and may be sent again`() throws {
    try device.end(alert)
    let update = try update("two")
    for _ in 1...2 {
      let result = try #require(try device.sync([update]).results.first)
      #expect(result.status == .rejected && result.code == "alert_ended" && result.endedAt != nil)
    }
  }

  @Test func `may be sent with the alert key`() throws {
    #expect(try device.sync([try update("two")], usesAlertKey: true).statuses == [.applied])
    #expect(try device.sync([try update("x")]).statuses == [.applied])
  }

  @Test func `blocks an end that had not seen it`() throws {
    let update = try update("two")
    try device.sync([update])
    let refused = try end(other, seen: [])
    #expect(refused.code == "newer_call_for_help" && refused.newestUpdate == update.id)
    #expect(device.get("/v1/alerts/\(alert)").text.contains("\"ended_at\":null"))
    #expect(try end(other, seen: [update.id]).status == .applied)
  }

  @Test func `of the ending device, or of an end from a device without updates, blocks no end`() throws {
    try device.sync([try update("two")])
    #expect(try end(device, seen: []).status == .applied)
    let second = try device.raise()
    try device.sync([
      device.mutation(EntityID(second), server.now, .updateAlert(AlertUpdate(at: server.now, message: "x")))
    ])
    #expect(try other.sync([other.deactivation(second)]).statuses == [.applied])
  }

  @Test func `sends an alert that had no notification request before`() throws {
    let mutation = device.activation()
    let quiet = AlertID(mutation.entityID)
    try device.sync([mutation])
    #expect(try deliver().isEmpty)
    try device.sync([
      device.mutation(EntityID(quiet), server.now, .updateAlert(AlertUpdate(at: server.now, message: "now")))
    ])
    #expect(try deliver().first?.contains("Message: now") == true)
  }

  @Test func `of an ended alert is answered with the end`() throws {
    try device.end(alert)
    let again = try #require(try device.sync([device.activation(alert)]).results.first)
    #expect(again.status == .applied && again.endedAt != nil)
  }
}
