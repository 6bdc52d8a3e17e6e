import Model
import Testing
import Wire

@testable import ServerCore

/// Messages that hang for as long as they may, and are tried again without end, beside others over the same host.
@Suite struct `Beside messages that hang` {
  /// What one host, or the operator's mail server, does with each message: those to some names hang.
  private struct Scene {
    let server: AlertsServer
    /// The beginning of these names.
    var hanging = "dead"
    /// The beginning of names of which each fails once, at once.
    var blinking = "blink"
    private var blinked: Set<String> = []
    private let channel: (String) -> String
    private var underWay: [(attempt: DeliveryAttempt, endsAt: Timestamp)] = []
    private(set) var arrivals: [(name: String, at: Timestamp)] = []

    init(_ kind: Channel.Kind) throws {
      let mailServer = try MailServer(url: "smtp://mail.example.org:587", sender: "alerts@example.org")
      server = try AlertsServer { $0.mailServer = mailServer }
      channel = kind == .mail ? { "mailto:\($0)@example.net" } : { "https://h.example/\($0)" }
    }

    func person(_ number: Int, responders: String...) throws -> AlertsDevice {
      try person(number, responders: responders)
    }

    func person(_ number: Int, responders: [String]) throws -> AlertsDevice {
      let device = try server.signIn("+1202555\(1000 + number)")
      try device.sync(try responders.map { try device.contact(AlertsDevice.identifier(), $0, channel($0)) })
      return device
    }

    /// Lets the server work until then.
    mutating func run(seconds: Int64) throws {
      let end = server.now.advanced(byMilliseconds: seconds * 1000)
      while server.now < end {
        try start()
        let next = [try server.nextDue(), underWay.map(\.endsAt).min(), end].compactMap { $0 }.min() ?? end
        server.advance(milliseconds: max(1, next.milliseconds(since: server.now)))
        for ended in underWay where ended.endsAt <= server.now {
          try server.complete(
            ended.attempt, .networkFailure("timed out"),
            afterMilliseconds: Int64(server.core.configuration.deliveries.attemptTimeoutMilliseconds))
        }
        underWay.removeAll { $0.endsAt <= server.now }
      }
    }

    private mutating func start() throws {
      for attempt in try server.claim() {
        let address = attempt.request.mail?.recipient ?? attempt.url
        if address.contains(hanging) {
          let timeout = Int64(server.core.configuration.deliveries.attemptTimeoutMilliseconds)
          underWay.append((attempt, server.now.advanced(byMilliseconds: timeout)))
        } else if address.contains(blinking), blinked.insert(address).inserted {
          try server.complete(attempt, .networkFailure("no connection"))
        } else {
          let isMail = attempt.request.mail != nil
          try server.complete(attempt, isMail ? .mail(MailReply(250, to: .content)) : .status(204, retryAfter: nil))
          arrivals.append((address, server.now))
        }
      }
    }

    /// When messages to the name arrived, in seconds after `start`.
    func seconds(_ name: String, since start: Timestamp) -> [Int64] {
      arrivals.filter { $0.name.contains(name) }.map { $0.at.milliseconds(since: start) / 1000 }
    }
  }

  @Test(arguments: [Channel.Kind.mail, .webhook], [2, 3, 8])
  func `another's responder is asked at each round`(kind: Channel.Kind, count: Int) throws {
    var scene = try Scene(kind)
    let hanging = try (0..<count).map { try scene.person($0, responders: "dead\($0)") }
    let person = try scene.person(100, responders: "good")
    for device in hanging { _ = try device.raise() }
    try scene.run(seconds: 90)
    let start = scene.server.now
    _ = try person.raise()
    try scene.run(seconds: 700)
    #expect(scene.seconds("good", since: start) == [0, 60, 180, 300, 600])
  }

  @Test(arguments: [Channel.Kind.mail, .webhook])
  func `the other responders of the same person are asked at each round`(kind: Channel.Kind) throws {
    var scene = try Scene(kind)
    let person = try scene.person(0, responders: "dead0", "dead1", "dead2", "good")
    let start = scene.server.now
    _ = try person.raise()
    try scene.run(seconds: 700)
    let asked = scene.seconds("good", since: start)
    #expect(asked.count == 5)
    for (time, round) in zip(asked, [0, 60, 180, 300, 600] as [Int64]) { #expect((0...20).contains(time - round)) }
  }

  /// What hangs are reminders, tried again without end: the help came through before.
  @Test(arguments: [Channel.Kind.mail, .webhook], [2, 3])
  func `another's responder is asked though it is reminders that hang`(kind: Channel.Kind, count: Int) throws {
    var scene = try Scene(kind)
    let others = try (0..<count).map { try scene.person($0, responders: "late\($0)") }
    for other in others { _ = try other.raise() }
    try scene.run(seconds: 30)
    scene.hanging = "late"
    try scene.run(seconds: 90)
    let person = try scene.person(100, responders: "good")
    let start = scene.server.now
    _ = try person.raise()
    try scene.run(seconds: 700)
    #expect(scene.seconds("good", since: start) == [0, 60, 180, 300, 600])
  }

  @Test(arguments: [Channel.Kind.mail, .webhook], [2, 3])
  func `a drill goes out`(kind: Channel.Kind, count: Int) throws {
    var scene = try Scene(kind)
    let hanging = try (0..<count).map { try scene.person($0, responders: "dead\($0)") }
    let tester = try scene.person(100, responders: "good")
    for device in hanging { _ = try device.raise() }
    try scene.run(seconds: 90)
    let start = scene.server.now
    _ = try tester.raise(isDrill: true)
    try scene.run(seconds: 60)
    #expect(scene.seconds("good", since: start) == [0])
  }

  /// The second tries of what hangs hang in turn.
  @Test(arguments: [Channel.Kind.mail, .webhook])
  func `what failed at once is tried again at once`(kind: Channel.Kind) throws {
    var scene = try Scene(kind)
    let hanging = try (0..<3).map { number in
      try scene.person(number, responders: (0..<4).map { "dead\(number)\($0)" })
    }
    let person = try scene.person(100, responders: "blink")
    for device in hanging { _ = try device.raise() }
    try scene.run(seconds: 25)
    let start = scene.server.now
    _ = try person.raise()
    try scene.run(seconds: 5)
    #expect(scene.seconds("blink", since: start).first.map { $0 <= 1 } == true)
  }

  @Test func `first calls have room still`() throws {
    var scene = try Scene(.mail)
    let hanging = try (0..<3).map { try scene.person($0, responders: "dead\($0)") }
    let tester = try scene.person(50, responders: "deadtest")
    let callers = try (0..<5).map { try scene.person(100 + $0, responders: "good\($0)") }
    for device in hanging { _ = try device.raise() }
    _ = try tester.raise(isDrill: true)
    try scene.run(seconds: 90)
    let start = scene.server.now
    for caller in callers { _ = try caller.raise() }
    try scene.run(seconds: 1)
    for number in callers.indices { #expect(scene.seconds("good\(number)", since: start) == [0]) }
  }

  @Test func `the operator's own server may take its time to answer`() throws {
    func hasHung(_ channel: String, _ answer: DeliveryAnswer) throws -> Bool {
      let target = DeliveryTarget(
        account: AlertsDevice.identifier(), alert: AlertsDevice.identifier(), contact: AlertsDevice.identifier(),
        channel: try Channel(channel))
      return DeliveryCompletion(
        id: AlertsDevice.identifier(), to: target, attempt: 1, answer: answer, afterMilliseconds: 2500
      ).hasHung
    }
    #expect(try !hasHung("mailto:ben@example.net", .mail(MailReply(451, to: .recipient))))
    #expect(try hasHung("mailto:ben@example.net", .mail(MailReply(nil, to: .content))))
    #expect(try hasHung("mailto:ben@example.net", .networkFailure("timed out")))
    #expect(try !hasHung("sms:+12025550123", .status(503, retryAfter: nil)))
    #expect(try hasHung("https://h.example/ben", .status(503, retryAfter: nil)))
  }
}
