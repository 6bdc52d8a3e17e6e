import LocalStore
import Model
import SyncEngine
import Wire

/// What the server holds for a device.
struct HerdStream {
  /// 0 for none.
  var number = 0
  var openedAt: Int64 = 0
  /// A heartbeat is due after so many ticks without a word.
  var ticksPerHeartbeat = 1
  var ticks = 0
  var toldSpreadMilliseconds = StreamSpread.shortestMilliseconds
}

/// One run: the devices, the server, and their events in virtual time. A seed identifies it.
package struct HerdRun {
  let settings: HerdSettings
  var devices: [HerdDevice]
  var server: HerdServer
  var counts: HerdCounts
  var waits = HerdWaits()
  var random: SimulatedRandom
  private var queue = HerdQueue()
  private(set) var now: Int64 = 0
  private var served: [HerdStream]
  private var openStreams = 0
  /// When the devices first had a stream again after the server's return.
  private(set) var streamsBackAt: [Int64] = []
  private var isStreamBack: [Bool]
  /// The number of heartbeats that the server sent.
  private(set) var heartbeats = 0
  /// The number of 503 answers.
  private(set) var unavailable = 0

  package init(_ settings: HerdSettings) {
    self.settings = settings
    devices = [HerdDevice](repeating: HerdDevice(), count: settings.devices)
    served = [HerdStream](repeating: HerdStream(), count: settings.devices)
    isStreamBack = [Bool](repeating: false, count: settings.devices)
    server = HerdServer(settings)
    counts = HerdCounts(seconds: Int(settings.end / 1000) + 1)
    random = SimulatedRandom(seed: settings.seed, stream: "herd")
  }

  package mutating func perform() {
    begin()
    while let event = queue.next(), event.at <= settings.end {
      now = event.at
      handle(event)
    }
  }

  /// Everybody starts in the first minutes: some with an alert, all with a session of a random age up to an hour.
  private mutating func begin() {
    let alertCount = Int((Double(settings.devices) * settings.alertShare).rounded())
    for device in devices.indices {
      devices[device].renewToken(at: -random.number(0...Self.hour), lifetime: Self.hour)
      schedule(.start, device, after: random.number(0...settings.warmUpMilliseconds * 3 / 4))
      schedule(.contact, device, after: nextContact())
      if device < alertCount {
        schedule(.raise, device, after: random.number(0...settings.warmUpMilliseconds * 3 / 4))
      } else {
        schedule(.raise, device, after: nextAlert())
      }
    }
    queue.add(.tick, of: -1, at: Int64(StreamEvent.heartbeatSeconds * 1000))
    queue.add(.outageBegins, of: -1, at: settings.outageStart)
    queue.add(.outageEnds, of: -1, at: settings.outageEnd)
  }

  private mutating func handle(_ event: HerdEvent) {
    let device = Int(event.device)
    switch event.what {
    case .start: tell(.start(devices[device].situation), device)
    case .wake: wake(device)
    case .raise, .end, .contact, .receipt: live(event.what, device)
    case .arrived(let request): arrive(request, device)
    case .served(let request): serve(request, device)
    case .answered(let request, let answer): take(answer, to: request, device)
    case .streamOpened(let stream): tellStream(.opened, stream, device)
    case .streamChanged(let stream): tellStream(.changed, stream, device)
    case .streamEnded(let stream): endStream(stream, device)
    case .tick: tick()
    case .outageBegins: goAway()
    case .outageEnds: server.comeBack(at: now)
    }
  }

  static let hour: Int64 = 3_600_000

  mutating func schedule(_ what: HerdEvent.What, _ device: Int, after milliseconds: Int64) {
    queue.add(what, of: Int32(device), at: now + milliseconds)
  }

  // MARK: Devices

  /// Gives a device's planner an event, and sends what it asks for.
  mutating func tell(_ event: PlannerEvent, _ device: Int) {
    for request in devices[device].tell(event, at: now, jitter: random.fraction()) {
      schedule(.arrived(request), device, after: latency())
    }
    guard let wakeAt = devices[device].wakeAt else { return }
    // A timer that was set for an earlier time sees by itself that it is too early.
    if let timerAt = devices[device].timerAt, timerAt <= wakeAt { return }
    devices[device].timerAt = wakeAt
    schedule(.wake, device, after: wakeAt - now)
  }

  private mutating func wake(_ device: Int) {
    guard let timerAt = devices[device].timerAt, timerAt <= now else { return }
    devices[device].timerAt = nil
    guard let wakeAt = devices[device].wakeAt else { return }
    guard wakeAt > now else { return tell(.timer, device) }
    devices[device].timerAt = wakeAt
    schedule(.wake, device, after: wakeAt - now)
  }

  private mutating func latency() -> Int64 { random.number(settings.latencyMilliseconds) }

  private mutating func take(_ answer: HerdAnswer, to request: HerdRequest, _ device: Int) {
    if request.kind == .stream {
      guard answer != .done, devices[device].streamNumber == request.number else { return }
      devices[device].streamIsGone()
      return tell(.stream(.ended(Self.failure(answer), retryAfterMilliseconds: nil)), device)
    }
    guard devices[device].callNumber == request.number, let call = devices[device].call else { return }
    switch (call, answer) {
    case (.refresh, .done):
      devices[device].renewToken(at: now, lifetime: Self.hour)
      tell(.refresh(.refreshed), device)
    case (.refresh, _): tell(.refresh(.failed(Self.failure(answer), retryAfterMilliseconds: nil)), device)
    case (.exchange, .done):
      let saved = devices[device].taken()
      accepted(saved, device)
      tell(.exchange(.accepted(PlannerEvent.Accepted(items: saved.count, answered: 1))), device)
    case (.exchange, _):
      tell(.exchange(.failed(Self.failure(answer), retryAfterMilliseconds: nil, items: 1, bytes: 500)), device)
    }
  }

  private static func failure(_ answer: HerdAnswer) -> SyncFailure {
    answer == .unavailable ? SyncFailure(.serverError, "busy") : SyncFailure(.offline, "cannot connect")
  }

  private mutating func tellStream(_ outcome: PlannerEvent.StreamOutcome, _ stream: Int, _ device: Int) {
    guard devices[device].streamNumber == stream else { return }
    if outcome == .opened {
      devices[device].isStreamOpen = true
      noteStream(device)
      tell(.stream(.spread(milliseconds: spreadMilliseconds)), device)
    }
    tell(.stream(outcome), device)
  }

  private mutating func noteStream(_ device: Int) {
    guard now >= settings.outageEnd, !isStreamBack[device] else { return }
    isStreamBack[device] = true
    streamsBackAt.append(now)
  }

  private mutating func endStream(_ stream: Int, _ device: Int) {
    guard devices[device].streamNumber == stream else { return }
    devices[device].streamIsGone()
    tell(.stream(.ended(SyncFailure(.offline, "the stream ended"), retryAfterMilliseconds: nil)), device)
  }

  // MARK: The server

  private mutating func arrive(_ request: HerdRequest, _ device: Int) {
    counts.count(request, at: now)
    if server.isAway { return schedule(.answered(request, .refused), device, after: latency()) }
    guard let doneAt = server.take(at: now) else {
      unavailable += 1
      return schedule(.answered(request, .unavailable), device, after: latency())
    }
    var request = request
    request.run = server.run
    schedule(.served(request), device, after: doneAt - now)
  }

  private mutating func serve(_ request: HerdRequest, _ device: Int) {
    guard request.run == server.run else { return schedule(.answered(request, .refused), device, after: latency()) }
    if request.kind == .stream {
      if served[device].number == 0 { openStreams += 1 }
      served[device] = HerdStream(
        number: request.number, openedAt: now,
        ticksPerHeartbeat: request.heartbeatSeconds / StreamEvent.heartbeatSeconds,
        toldSpreadMilliseconds: spreadMilliseconds)
      return schedule(.streamOpened(request.number), device, after: latency())
    }
    schedule(.answered(request, .done), device, after: latency())
  }

  /// As the real server does every 25 s: sends the heartbeats that are due, all at once, and ends the streams that are an hour old.
  private mutating func tick() {
    queue.add(.tick, of: -1, at: now + Int64(StreamEvent.heartbeatSeconds * 1000))
    guard !server.isAway else { return }
    let spread = spreadMilliseconds
    for device in devices.indices where served[device].number != 0 {
      let stream = served[device]
      if now - stream.openedAt >= Self.hour {
        tellStream(.spread(milliseconds: StreamSpread.renewalMilliseconds), stream.number, device)
        schedule(.streamEnded(stream.number), device, after: latency())
        served[device].number = 0
        openStreams -= 1
      } else if devices[device].isStreamOpen {
        served[device].ticks += 1
        let isDue = stream.ticks + 1 >= stream.ticksPerHeartbeat
        guard isDue || spread >= 2 * stream.toldSpreadMilliseconds else { continue }
        served[device].ticks = 0
        served[device].toldSpreadMilliseconds = spread
        heartbeats += 1
        tellStream(.spread(milliseconds: spread), stream.number, device)
      }
    }
  }

  private var spreadMilliseconds: Int64 {
    settings.announcesSpread ? StreamSpread.milliseconds(openStreams: openStreams) : StreamSpread.shortestMilliseconds
  }

  private mutating func goAway() {
    server.goAway()
    openStreams = 0
    for device in devices.indices where served[device].number != 0 {
      schedule(.streamEnded(served[device].number), device, after: latency())
      served[device].number = 0
    }
  }

  /// The account has news: its device is told if its stream is open.
  mutating func newsFor(_ device: Int) {
    guard !server.isAway, served[device].number != 0 else { return }
    served[device].ticks = 0
    schedule(.streamChanged(served[device].number), device, after: latency())
  }
}
