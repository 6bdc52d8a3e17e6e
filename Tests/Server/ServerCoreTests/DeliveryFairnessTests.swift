import Model
import Testing
import Wire

@testable import ServerCore

/// Hosts that hang, and whoever named them, do not hold up anybody else's call for help.
@Suite struct `A turn in the queue` {
  let server: AlertsServer

  init() throws { server = try AlertsServer() }

  /// A device whose account names responders with `count` channels, ten each.
  private func device(_ phone: String, _ count: Int, _ url: (Int) -> String) throws -> AlertsDevice {
    let device = try server.signIn(phone)
    for start in stride(from: 0, to: count, by: 10) {
      let channels = try (start..<min(count, start + 10)).map { try Channel(url($0)) }
      let details = try ContactDetails(
        name: "Ana", phone: "+12025550188", isResponder: true, isDependent: false, channels: channels)
      try device.sync([device.mutation(AlertsDevice.identifier(), server.now, .putContact(details))])
    }
    return device
  }

  @Test func `is left by a host that hangs to the others`() throws {
    let device = try device("+12025550123", 30) { "https://slow.example/\($0)" }
    _ = try device.raise()
    let first = try server.claim(limit: 64)
    #expect(first.count == 4)
    server.advance(seconds: 1)
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://fast.example/")])
    #expect(try server.claim(limit: 64).map(\.url) == ["https://fast.example/"])
    try server.complete(first[0], .networkFailure("timed out"))
    #expect(try server.claim(limit: 64).isEmpty)
    try server.complete(first[1], .status(200, retryAfter: nil))
    #expect(try server.claim(limit: 64).count == 1)
  }

  @Test func `is left by an account whose hosts all hang to the others`() throws {
    let greedy = try device("+12025550123", 20) { "https://h\($0).example/" }
    let other = try device("+12025550124", 1) { _ in "https://n.example/other" }
    _ = try greedy.raise()
    #expect(try server.claim(limit: 128).count == 16)
    // A host that it shares with the other.
    for index in 0..<10 {
      try greedy.sync([try greedy.contact(AlertsDevice.identifier(), "Ana", "https://n.example/\(index)")])
    }
    #expect(try server.claim(limit: 128).isEmpty)
    // Nothing can be given before a lease ends: nobody need look again and again.
    #expect(try server.nextDue() == server.now.advanced(byMilliseconds: 60_000))
    server.advance(seconds: 1)
    _ = try other.raise()
    #expect(try server.nextDue() == server.now)
    #expect(try server.claim(limit: 128).map(\.url) == ["https://n.example/other"])
    server.advance(seconds: 59)
    #expect(try server.claim(limit: 128).count == 16, "seven that were never tried, and nine that hung once")
  }

  @Test(arguments: ["n.example", "other.example"])
  func `comes sooner to what was never tried`(host: String) throws {
    let first = try device("+12025550123", 3) { "https://n.example/\($0)" }
    let second = try device("+12025550124", 1) { _ in "https://\(host)/other" }
    _ = try first.raise()
    for attempt in try server.claim() { try server.complete(attempt, .networkFailure("timed out")) }
    server.advance(seconds: 10)
    _ = try second.raise()
    let claimed = try server.claim(limit: 1)
    #expect(claimed.map(\.url) == ["https://\(host)/other"])
    try server.complete(claimed[0], .status(200, retryAfter: nil))
    #expect(try server.claim(limit: 1).first?.url.hasSuffix("other") == false)
  }

  @Test func `comes at once to a call for help, whatever drills of others have taken the host`() throws {
    let testers = try (0..<3).map { number in
      try device("+1202555013\(number)", 200) { "https://n.example/\(number)/\($0)" }
    }
    for tester in testers { _ = try tester.raise(isDrill: true) }
    let caller = try device("+12025550150", 3) { "https://n.example/caller/\($0)" }
    #expect(try server.claim(limit: 128).count == 2)
    server.advance(seconds: 1)
    _ = try caller.raise()
    #expect(try server.nextDue() == server.now)
    let claimed = try server.claim(limit: 128)
    #expect(claimed.map { $0.url.contains("caller") } == [true, true])
    try server.complete(claimed[0], .status(200, retryAfter: nil))
    #expect(try server.claim(limit: 128).map { $0.url.contains("caller") } == [true])
  }

  @Test func `comes at once to the first call of each account, though a host hangs with another's`() throws {
    let greedy = try device("+12025550123", 30) { "https://n.example/greedy/\($0)" }
    let callers = try (0..<5).map { number in
      try device("+1202555014\(number)", 10) { "https://n.example/\(number)/\($0)" }
    }
    _ = try greedy.raise()
    #expect(try server.claim(limit: 128).count == 4)
    for (number, caller) in callers.enumerated() {
      server.advance(seconds: 1)
      _ = try caller.raise()
      #expect(try server.claim(limit: 128).map(\.url) == ["https://n.example/\(number)/0"])
    }
  }

  @Test func `goes round among the accounts of a host`() throws {
    let devices = try (0..<3).map { number in
      try device("+1202555013\(number)", 10) { "https://n.example/\(number)/\($0)" }
    }
    for device in devices { _ = try device.raise() }
    var counts: [String: Int] = [:]
    for _ in 0..<12 {
      for attempt in try server.claim(limit: 3) {
        counts[String(attempt.url.split(separator: "/")[2]), default: 0] += 1
        try server.complete(attempt, .status(200, retryAfter: nil))
      }
      let values = devices.indices.map { counts[String($0)] ?? 0 }
      #expect(values.max().map { most in values.allSatisfy { most - $0 <= 1 } } == true)
    }
  }

  @Test func `leaves connections to real alerts in all, whatever hosts drills hang on`() throws {
    let testers = try (0..<8).map { number in
      try device("+1202555013\(number)", 20) { "https://h\(number)-\($0).example/" }
    }
    let caller = try device("+12025550150", 1) { _ in "https://n.example/" }
    for tester in testers { _ = try tester.raise(isDrill: true) }
    #expect(try server.claim(limit: 128).count == 48)
    _ = try caller.raise()
    #expect(try server.claim(limit: 80).map(\.url) == ["https://n.example/"])
  }

  @Test func `comes to safe before a drill, and after help`() throws {
    let person = try device("+12025550123", 1) { _ in "https://n.example/person" }
    let alert = try person.raise()
    for attempt in try server.claim() { try server.complete(attempt, .status(200, retryAfter: nil)) }
    let tester = try device("+12025550124", 1) { _ in "https://n.example/tester" }
    _ = try tester.raise(isDrill: true)
    try person.end(alert)
    let caller = try device("+12025550125", 1) { _ in "https://n.example/caller" }
    _ = try caller.raise()
    let order = try (0..<3).flatMap { _ in try server.claim(limit: 1).map(\.url) }
    #expect(order == ["caller", "person", "tester"].map { "https://n.example/\($0)" })
  }

  @Test func `that finds nothing to say wakes whoever waits for it`() throws {
    let device = try device("+12025550123", 1) { _ in "https://n.example/" }
    let alert = try device.raise()
    var configuration = ServerConfiguration(publicURL: "https://server.example")
    configuration.allowsPrivateChannels = true
    let lenient = ServerCore(configuration: configuration, keys: server.core.keys)
    let plain = try device.contact(AlertsDevice.identifier(), "Bea", "http://b.example/")
    let body = SyncRequestWriter.body(
      deviceID: device.id, cursor: nil,
      mutations: [
        .init(
          id: plain.id, kind: plain.change.kind, entityID: plain.entityID, occurredAt: plain.occurredAt,
          body: MutationBody.text(of: plain.change))
      ], notifications: [], limit: 500)
    let request = ServerRequest(
      method: "POST", path: Route.sync, authorization: "Bearer \(device.token)", contentType: "application/json",
      body: body, remoteAddress: "192.0.2.1")
    #expect(lenient.respond(to: request, at: server.moment(), in: server.store).status == 200)
    // The server was started again without plain channels.
    let claimed = try server.core.claimDeliveries(limit: 10, at: server.moment(), in: server.store)
    #expect(claimed.attempts.map(\.url) == ["https://n.example/"])
    #expect(claimed.changedAccounts == [device.account])
    #expect(try device.receipts(alert).contains { $0.state == .failed })
  }
}
