import Model
import TestSupport
import Testing
import Wire

@testable import ServerCore

/// I6: "safe now" never overtakes "help", and a bare "help" is never sent after the end.
@Suite struct `The order of messages` {
  @Test(arguments: 0..<60)
  func `holds whatever the order of claims, answers, crashes and ends`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let server = try AlertsServer { $0.deliveries.inFlight.perHost = 2 }
    let device = try server.signIn("+12025550123")
    try device.sync([
      try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1", "https://a.example/2"),
      try device.contact(AlertsDevice.identifier(), "Bea", "https://b.example/1"),
    ])
    var run = Run(server: server, device: device)
    for _ in 0..<60 { try run.step(&random) }
    try run.settle()
    try run.check()
  }

  private struct Run {
    let server: AlertsServer
    let device: AlertsDevice
    private var alert: AlertID?
    private var hasEnded = false
    private var underWay: [DeliveryAttempt] = []
    /// What each URL was sent with success, in order.
    private var received: [String: [String]] = [:]

    init(server: AlertsServer, device: AlertsDevice) {
      self.server = server
      self.device = device
    }

    mutating func step(_ random: inout SeededRandom) throws {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: if alert == nil { alert = try device.raise() }
      case 1: try end()
      case 2, 3, 4: try claim(limit: Int.random(in: 1...3, using: &random))
      case 5, 6, 7: try answer(&random)
      case 8: underWay = []  // The process that had them is gone.
      default: server.advance(seconds: Int64.random(in: 1...90, using: &random))
      }
    }

    private mutating func end() throws {
      guard let alert, !hasEnded else { return }
      try device.end(alert)
      hasEnded = true
    }

    private mutating func claim(limit: Int) throws {
      for attempt in try server.claim(limit: limit) {
        // The one that was given up is not answered any more: its time-out is shorter than the lease.
        underWay.removeAll { $0.id == attempt.id }
        underWay.append(attempt)
        let text = String(decoding: attempt.body, as: UTF8.self)
        #expect(!(hasEnded && text.contains("needs help")), "a bare help was rendered after the end")
        #expect(hasEnded || text.contains("needs help"))
      }
    }

    private mutating func answer(_ random: inout SeededRandom) throws {
      guard let index = underWay.indices.randomElement(using: &random) else { return }
      let attempt = underWay.remove(at: index)
      let answers: [DeliveryAnswer] = [
        .status(200, retryAfter: nil), .status(503, retryAfter: nil), .status(404, retryAfter: nil),
        .networkFailure("reset"),
      ]
      let answer = answers[Int.random(in: 0..<answers.count, using: &random)]
      try complete(attempt, answer)
    }

    private mutating func complete(_ attempt: DeliveryAttempt, _ answer: DeliveryAnswer) throws {
      if answer == .status(200, retryAfter: nil) {
        received[attempt.url, default: []].append(String(decoding: attempt.body, as: UTF8.self))
      }
      try server.complete(attempt, answer)
    }

    /// The network heals: all that is left goes through.
    mutating func settle() throws {
      if alert == nil { alert = try device.raise() }
      try end()
      for attempt in underWay { try complete(attempt, .status(200, retryAfter: nil)) }
      underWay = []
      var emptyClaims = 0
      while let due = try server.nextDue() {
        server.advance(milliseconds: max(0, due.milliseconds(since: server.now)))
        let claimed = try server.claim(limit: 2)
        // What is due may have to wait for room, or has nothing to say any more, and lets what waited behind it go.
        emptyClaims = claimed.isEmpty ? emptyClaims + 1 : 0
        try #require(emptyClaims < 10, "due, and nothing to claim")
        for attempt in claimed { try complete(attempt, .status(200, retryAfter: nil)) }
      }
    }

    func check() throws {
      let alert = try #require(alert)
      #expect(try device.receipts(alert).allSatisfy { $0.state == .sent || $0.state == .failed })
      for (url, texts) in received {
        let isHelp = texts.map { $0.contains("needs help") }
        // All calls for help stand in front, and something told of the end.
        #expect(isHelp == isHelp.sorted { $0 && !$1 }, "safe before help at \(url)")
        #expect(isHelp.last == false, "\(url) never heard of the end")
        #expect(isHelp.filter { !$0 }.count == 1, "\(url) heard of the end more than once")
      }
      #expect(received.count == 3)
    }
  }
}
