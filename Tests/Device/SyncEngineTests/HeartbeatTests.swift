import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// A device with a stream over a path that silently forgets what is quiet for too long. The server beats as it was asked to, ends streams
/// after an hour, and answers everything at once.
private struct QuietPath {
  var driver = PlannerDriver()
  /// Nil: it forgets nothing.
  var limitSeconds: Int64?
  /// The server beats every 25 s, whatever it is asked.
  var isServerOld = false
  /// Whether a heartbeat still arrives.
  private var carries = true
  private var openedAt: Int64 = 0
  private var carriedAt: Int64 = 0
  private var beatAt: Int64 = .max
  /// How often the device was woken: by a heartbeat, a timer or an answer.
  private(set) var wakeUps = 0
  /// How often a stream was forgotten.
  private(set) var deaths = 0

  init(limitSeconds: Int64? = nil, isServerOld: Bool = false) {
    self.limitSeconds = limitSeconds
    self.isServerOld = isServerOld
    driver.start()
    driver.accept()
    open()
  }

  mutating func pass(hours: Double) {
    let end = driver.now + Int64(hours * 3_600_000)
    while driver.now < end {
      let next = min(beatAt, driver.wake ?? .max)
      driver.now = max(driver.now, min(next, end))
      if beatAt <= driver.now { beat() } else { wake(.timer) }
      if driver.call != nil { driver.accept() }
      open()
    }
  }

  private mutating func open() {
    guard driver.answerOpening() else { return }
    wakeUps += 2
    (openedAt, carriedAt, carries) = (driver.now, driver.now, true)
    setBeat()
  }

  private mutating func setBeat() {
    beatAt = driver.now + (isServerOld ? 25_000 : Int64(driver.heartbeatSeconds * 1000))
  }

  private mutating func beat() {
    if carries, let limitSeconds, driver.now - carriedAt > limitSeconds * 1000 {
      carries = false
      deaths += 1
    }
    guard carries, driver.isStreaming else {
      beatAt = .max
      return
    }
    carriedAt = driver.now
    wake(.stream(.heartbeat))
    setBeat()
    guard driver.now - openedAt >= 3_600_000 else { return }
    beatAt = .max
    driver.isStreaming = false
    wake(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: nil)))
  }

  private mutating func wake(_ event: PlannerEvent) {
    wakeUps += 1
    driver.tell(event)
  }
}

@Suite struct `Heartbeats` {
  @Test(arguments: [(nil, 600), (40, 25), (70, 50), (130, 100), (240, 200), (450, 400)] as [(Int64?, Int)])
  func `become as rare as the path carries, and a day passes before it is tried again`(
    limit: Int64?, seconds: Int
  ) {
    var path = QuietPath(limitSeconds: limit)
    path.pass(hours: 1)
    #expect(path.driver.heartbeatSeconds == seconds)
    #expect(path.deaths == (limit == nil ? 0 : 1))
    path.pass(hours: 22)
    #expect(path.driver.heartbeatSeconds == seconds)
    #expect(path.deaths == (limit == nil ? 0 : 1))
    path.pass(hours: 24)
    #expect(path.deaths == (limit == nil ? 0 : 2))
  }

  @Test func `wake an idle device a dozen times an hour, where nothing forgets it`() {
    var path = QuietPath()
    path.pass(hours: 1)
    let learned = path.wakeUps
    path.pass(hours: 24)
    let perHour = Double(path.wakeUps - learned) / 24
    #expect((6...13).contains(perHour), "\(perHour) an hour, and \(learned) in the first")
    #expect(learned < 40, "\(learned)")
  }

  /// It proves nothing about longer intervals, and must not be asked over and over.
  @Test func `of a server that ignores what it is asked stay as they are`() {
    var path = QuietPath(limitSeconds: 40, isServerOld: true)
    path.pass(hours: 24)
    #expect(path.driver.heartbeatSeconds == 50)
    #expect(path.deaths == 0)
    #expect(path.driver.openings <= 26)
  }

  /// An idle device whose heartbeats are ten minutes apart.
  static func rare() -> PlannerDriver {
    var path = QuietPath()
    path.pass(hours: 0.6)
    #expect(path.driver.heartbeatSeconds == 600)
    return path.driver
  }

  @Test func `that are rare make a silent stream dead fifty seconds after the next one`() {
    var driver = Self.rare()
    driver.tell(.stream(.heartbeat))
    #expect(driver.wake == driver.now + 650_000)
    driver.pass(649_999)
    #expect(driver.isStreaming)
    driver.pass(1)
    #expect(!driver.isStreaming)
    driver.passToWake()
    #expect(driver.heartbeatSeconds == 400)
  }

  @Test func `that were carried before are tried again after an hour`() {
    var driver = Self.rare()
    driver.tell(.stream(.heartbeat))
    driver.pass(650_000)
    driver.passToWake()
    let reopenedAt = driver.now
    for _ in 0..<20 where driver.heartbeatSeconds < 600 {
      driver.answerOpening()
      driver.pass(400_000)
      driver.tell(.stream(.heartbeat))
      if driver.heartbeatSeconds < 600 { driver.pass(5000) }
    }
    #expect(driver.heartbeatSeconds == 600)
    #expect((3_590_000...4_100_000).contains(driver.now - reopenedAt))
  }

  @Test func `that a sleeping device missed prove nothing`() {
    var driver = Self.rare()
    driver.tell(.stream(.heartbeat))
    driver.pass(3_600_000)
    #expect(!driver.isStreaming, "it is dead all the same")
    driver.passToWake()
    #expect(driver.heartbeatSeconds == 600)
    // Nor do those that waited for a process that stood still.
    var other = PlannerStreamTests.idle()
    other.now += 40_000
    other.tell(.stream(.heartbeat))
    other.pass(5000)
    #expect(other.openings == 1)
  }

  /// A proxy ends what is quiet, and the server ends streams too.
  @Test func `are frequent again when the stream breaks in the quiet twice in a row`() {
    var driver = Self.rare()
    func breakStream(after quiet: Int64) {
      driver.answerOpening()
      driver.tell(.stream(.heartbeat))
      driver.pass(quiet)
      driver.isStreaming = false
      driver.tell(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: nil)))
      driver.pass { $0.isStreaming }
    }
    for _ in 0..<3 {
      breakStream(after: 1000)
      #expect(driver.heartbeatSeconds == 600, "ended with a heartbeat, as the server does after an hour")
    }
    breakStream(after: 60_000)
    #expect(driver.heartbeatSeconds == 600, "the server may have stopped")
    breakStream(after: 60_000)
    #expect(driver.heartbeatSeconds == 400)
  }

  @Test func `begin anew on another network`() {
    var driver = Self.rare()
    driver.tell(.networkChanged)
    driver.pass { $0.isStreaming }
    #expect(driver.heartbeatSeconds == 25)
  }

  @Test func `of an alert are frequent, once it is on its way`() {
    var driver = Self.rare()
    driver.jitter = 0.5
    let openings = driver.openings
    driver.situation.hasActiveAlert = true
    driver.queue(.emergency, 2)
    #expect(driver.exchange?.isEmergency == true)
    driver.pass(1000)
    driver.fail(SyncFailure(.offline, "away"))
    driver.passToCall()
    #expect(driver.openings == openings && driver.isStreaming, "the alert has the path to itself")
    driver.accept()
    let acceptedAt = driver.now
    driver.pass(isAnswered: true) { $0.openings > openings }
    #expect(driver.heartbeatSeconds == 25)
    #expect(driver.now == acceptedAt + 2500, "half of what this server wants its streams to return in")
    driver.answerOpening()
    for _ in 0..<10 {
      driver.pass(25_000)
      while driver.call != nil { driver.accept() }
      driver.tell(.stream(.heartbeat))
    }
    #expect(driver.openings == openings + 1)
    driver.situation.hasActiveAlert = false
    driver.pass(isAnswered: true) { $0.openings > openings + 1 }
    #expect(driver.heartbeatSeconds == 600, "what was learned still holds")
  }

  @Test func `of a large server's devices become frequent within two minutes`() {
    var driver = Self.rare()
    driver.tell(.stream(.spread(milliseconds: 3_600_000)))
    driver.situation.hasActiveAlert = true
    driver.queue(.emergency)
    driver.accept()
    let acceptedAt = driver.now
    driver.pass(isAnswered: true) { $0.heartbeatSeconds == 25 }
    #expect(driver.now == acceptedAt + 120_000)
  }

  @Test func `are frequent while somebody else's alert is active in the inbox`() {
    var driver = Self.rare()
    driver.situation.hasActiveInboxAlert = true
    driver.tell(.stream(.changed))
    driver.accept()
    driver.pass(isAnswered: true) { $0.heartbeatSeconds == 25 }
    var other = PlannerDriver()
    other.situation.hasActiveInboxAlert = true
    other.start()
    #expect(other.heartbeatSeconds == 25)
  }
}
