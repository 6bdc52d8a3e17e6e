import CurlTransport
import LocalStore
import Model
import SyncEngine

/// One run of the real sync engine on a device. Does what the production shell does, in virtual time.
final class EngineProcess {
  let process: Int32
  private let device: SimulatedDevice
  private let mode: SyncMode
  /// Nil after the end: a late event finds nothing, and keeps no file open.
  private(set) var store: LocalStore?
  private var coordinator: SyncCoordinator?
  private var lease: SenderLease?
  private var waiting: [SyncEvent] = []
  private var isHandling = false
  /// Frozen: events wait.
  private(set) var isFrozen = false
  /// Requests in flight that are not cancelled.
  private var inFlight: [RequestID: Transfer] = [:]
  /// The same as the worker's.
  var routes: RouteWatch
  /// The number of the last requested wake-up; earlier ones are ignored.
  private var wakeNumber = 0
  private var random: SimulatedRandom
  private(set) var quiet = QuietChecks()

  /// - Parameter lease: nil if another process holds it.
  init(device: SimulatedDevice, process: Int32, store: LocalStore, lease: SenderLease?, mode: SyncMode) {
    self.device = device
    self.process = process
    self.store = store
    self.lease = lease
    self.mode = mode
    random = SimulatedRandom(seed: device.random.next())
    routes = RouteWatch { [unowned device] _ in
      RouteWatch.Route(interface: Int32(device.route), works: true, addresses: [])
    }
    routes.note([SimulatedDevice.serverAddress])
    coordinator = SyncCoordinator(
      store: store,
      configuration: SyncConfiguration(
        endpoint: device.configuration.endpoint, secondEndpoint: device.configuration.secondEndpoint),
      mode: mode, sizes: device.exchangeSizes)
  }

  var isAlive: Bool { coordinator != nil }
  var isContinuous: Bool { isAlive && mode == .continuous }

  /// Killed or done: releases everything that the system takes back from a process.
  func end() {
    coordinator = nil
    store = nil
    lease?.release()
    lease = nil
    waiting = []
    for id in inFlight.keys.sorted(by: { $0.number < $1.number }) { drop(id) }
  }

  /// The device drops the request; what is already in the network continues.
  private func drop(_ id: RequestID) {
    guard let transfer = inFlight.removeValue(forKey: id) else { return }
    _ = transfer.end()
    device.connections.removeAll { $0 === transfer.connection }
  }

  /// Tells the engine when the server was last heard for the emergency in flight, as the worker does.
  func tellProgress() {
    let attempts = coordinator?.emergencyAttempts ?? []
    guard let heard = attempts.compactMap({ inFlight[$0]?.lastSignAt }).max() else { return }
    tell(.progress(atMonotonicMilliseconds: device.monotonic(of: heard)))
  }

  /// Gives the engine an event, and everything that follows from it at once. The engine is never re-entered.
  func tell(_ event: SyncEvent) {
    guard isAlive else { return }
    waiting.append(event)
    work()
  }

  func freeze() { isFrozen = true }

  /// Handles all events that came in the meantime.
  func resume() {
    isFrozen = false
    work()
  }

  private func work() {
    guard !isHandling, !isFrozen else { return }
    isHandling = true
    defer { isHandling = false }
    while isAlive, !waiting.isEmpty { handle(waiting.removeFirst()) }
  }

  private func handle(_ event: SyncEvent) {
    guard let coordinator else { return }
    if event == .networkChanged { quiet.pathChanged() }
    let moment = device.moment()
    let jitter = random.fraction()
    let commands = device.attempt(process) { coordinator.handle(event, at: moment, jitter: jitter) }
    guard case .success(let commands)? = commands, isAlive else { return }
    for command in commands { perform(command) }
  }

  private func perform(_ command: SyncCommand) {
    switch command {
    case .send(let request):
      device.world.note(device.name, "sends \(request)")
      if request.isStream { device.check(&quiet, opens: request) }
      inFlight[request.id] = device.network.send(request, from: device) { [self] event in hear(event, of: request) }
    case .cancel(let id):
      if let transfer = inFlight[id] { quiet.cancels(transfer, at: device.world.now) }
      drop(id)
    case .wake(let due): wake(at: due)
    case .finish(let report):
      if mode == .continuous { device.world.note(device.name, "its worker ended by itself") }
      device.finished(self, report)
    case .storeFailed(let error): device.world.note(device.name, "its store failed: \(error.message)")
    }
  }

  private func hear(_ event: SyncEvent, of request: TransportRequest) {
    guard let transfer = inFlight[request.id] else { return }
    switch event {
    case .answer(_, let answer):
      inFlight[request.id] = nil
      device.heard(answer, to: request)
      device.world.note(device.name, "hears \(answer) to #\(request.id.number)")
    case .failure(_, let failure):
      inFlight[request.id] = nil
      device.connections.removeAll { $0 === transfer.connection }
      device.world.note(device.name, "hears \(failure) of #\(request.id.number)")
    default: quiet.hears(request, at: device.world.now)
    }
    tell(event)
  }

  private func wake(at due: Int64?) {
    wakeNumber += 1
    guard let due else { return }
    let number = wakeNumber
    device.world.after(device.time(ofMonotonic: due) - device.world.now) { [self] in
      guard number == wakeNumber else { return }
      tellProgress()
      tell(.timer)
    }
  }
}
