import Model
import Testing
import Wire

@testable import ServerCore

/// Tests the times in messages to responders from a device with a wrong clock. The alert itself keeps the device's
/// times.
@Suite struct `A wrong clock` {
  let server: AlertsServer
  let device: AlertsDevice
  private static let inSeventies = Timestamp(milliseconds: 360_000)  // 1970-01-01T00:06:00Z

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/")])
  }

  /// The message about an alert that is sent 5 minutes after it was raised.
  private func text(startedAt: Timestamp, sentAt: Timestamp?, age: Int64? = nil) throws -> String {
    let mutation = device.activation(startedAt: startedAt)
    let ages = age.map { [ItemAge(id: mutation.id, milliseconds: $0)] } ?? []
    let outcome = device.exchange(
      [mutation], [device.notification(.activated, AlertID(mutation.entityID))], sentAt: sentAt, ages: ages)
    try #require(outcome.status == 200, "\(outcome.text)")
    let told = try device.get("/v1/alerts/\(mutation.entityID)").object()
    #expect(told["started_at"] as? String == startedAt.description)
    let body = try #require(try server.claim().first).body
    return try JSONDocument(body).root.required("data").string("text")
  }

  private func clock(minutesAgo minutes: Int64) -> String {
    LocalClock(utcOffsetMinutes: nil, today: server.now).time(server.now.advanced(byMilliseconds: -minutes * 60_000))
  }

  @Test func `in 1970 is corrected by the server's, from the age`() throws {
    let sentAt = Self.inSeventies.advanced(byMilliseconds: 300_000)
    let text = try text(startedAt: Self.inSeventies, sentAt: sentAt)
    #expect(text.contains("raised \(clock(minutesAgo: 5)), received") && !text.contains("1970"), "\(text)")
  }

  @Test func `that was set between raising and sending is corrected from the monotonic age`() throws {
    let text = try text(startedAt: Self.inSeventies, sentAt: server.now, age: 420_000)
    #expect(text.contains("raised \(clock(minutesAgo: 7)), received"), "\(text)")
  }

  @Test func `that was set, with an unknown age, is replaced by the time of receipt`() throws {
    let now = server.now
    for startedAt in [Self.inSeventies, now.advanced(byMilliseconds: 3_600_000)] {
      let text = try text(startedAt: startedAt, sentAt: now)
      #expect(text.contains("raised \(clock(minutesAgo: 0)) "), "\(text)")
      #expect(try text.contains("1970") == false && server.claim().isEmpty)
    }
  }

  @Test func `an hour ahead is corrected by the server's`() throws {
    let ahead = server.now.advanced(byMilliseconds: 3_600_000)
    let text = try text(startedAt: ahead.advanced(byMilliseconds: -600_000), sentAt: ahead)
    #expect(text.contains("raised \(clock(minutesAgo: 10)), received"), "\(text)")
  }

  @Test func `off by less than a minute is shown as it is`() throws {
    let started = server.now.advanced(byMilliseconds: -300_000 - 30_000)
    let text = try text(startedAt: started, sentAt: server.now.advanced(byMilliseconds: -30_000))
    #expect(text.contains("raised \(LocalClock(utcOffsetMinutes: nil, today: server.now).time(started)), received"))
  }

  @Test func `of a device of the first version is shown only if it can be right`() throws {
    #expect(try !text(startedAt: Self.inSeventies, sentAt: nil).contains("1970"))
    let started = server.now.advanced(byMilliseconds: -7_200_000)
    #expect(try text(startedAt: started, sentAt: nil).contains("raised \(clock(minutesAgo: 120)), received"))
  }

  @Test func `does not delay the end`() throws {
    let started = device.activation(startedAt: Self.inSeventies)
    let ended = device.deactivation(
      AlertID(started.entityID), endedAt: Self.inSeventies.advanced(byMilliseconds: 120_000))
    let alert = AlertID(started.entityID)
    let outcome = device.exchange(
      [started, ended], [device.notification(.activated, alert), device.notification(.deactivated, alert)],
      sentAt: Self.inSeventies.advanced(byMilliseconds: 300_000))
    try #require(outcome.status == 200)
    let body = try #require(try server.claim().first).body
    let text = try JSONDocument(body).root.required("data").string("text")
    #expect(text.contains("in danger \(clock(minutesAgo: 5))–\(clock(minutesAgo: 3)), safe now"), "\(text)")
  }

  @Test func `a retry with another age is the same item`() throws {
    let mutation = device.activation(startedAt: Self.inSeventies)
    for (number, status) in [ItemResult.Status.applied, .duplicate].enumerated() {
      let outcome = device.exchange(
        [mutation], sentAt: Self.inSeventies.advanced(byMilliseconds: Int64(number) * 1000),
        ages: [ItemAge(id: mutation.id, milliseconds: Int64(number) * 1000)])
      #expect(try SyncResponse(jsonBytes: outcome.body).statuses == [status])
      server.advance(seconds: 100)
    }
  }
}
