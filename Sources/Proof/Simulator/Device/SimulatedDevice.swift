import DeviceCore
import LocalStore
import Model
import SyncEngine

/// A machine with the real device store, its clocks, its path to the server, and its running processes.
final class SimulatedDevice {
  let number: Int
  let world: World
  let network: Network
  let server: SimulatedServer
  let disk: MachineDisk
  let home: HomeDirectory
  private let ids: SharedRandom
  private let checkpointPages: Int
  private let work = WorkCount()
  private var settings: DeviceSettings
  var random: SimulatedRandom

  var link = Link.perfect
  let line: Line
  /// The connections of the engine's process.
  var connections: [Connection] = []
  /// The current route to the server.
  var route = 0
  /// The oldest route that still carries packets.
  var oldestRoute = 0
  /// The stranger that the server's name resolved to, until the resolver's cache expires.
  var stranger: (who: Stranger, until: Int64)?
  /// After how long a quiet what is between this device and the server forgets a stream; nil: never.
  var quietLimitMilliseconds: Int64?
  var exchangeSizes = ExchangeSizes.usual
  /// For how many looks in a row its stream has been too quiet.
  var quietLooks = 0
  /// The alert that is being timed.
  var press: Press?
  private(set) var isOn = true
  /// Device time minus true time.
  private(set) var clockOffset: Int64
  private var bootedAt: Int64 = 0
  /// The process that talks to the server, if one runs.
  private(set) var engine: EngineProcess? {
    didSet {
      guard engine !== oldValue else { return }
      connections = []
      disturbPress()
    }
  }
  /// A command that sends alerts beside the engine.
  private var beside: EngineProcess?
  /// Holds the store's lock for a frozen process.
  var storeLock: StoreLock?
  /// Real alerts raised while that lock is held; checked once they are in the store.
  var pressesOfLock: [AlertID] = []
  /// Whether a background worker is restarted after it died.
  let hasWorker: Bool

  /// How often it has refreshed its tokens.
  var refreshes = 0
  /// The network showed the server a refresh token that had been replaced twice, as a thief would.
  var looksStolen = false

  /// The probability that a process dies, or that the disk fails, in the middle of its work.
  var deaths = 0.0
  var diskErrors = 0.0

  init(
    _ number: Int, folder: String, hasWorker: Bool, world: World, network: Network, server: SimulatedServer
  ) {
    self.number = number
    self.world = world
    self.network = network
    self.server = server
    self.hasWorker = hasWorker
    random = world.random("device \(number)")
    line = Line(world: world)
    disk = MachineDisk(folder: folder)
    home = HomeDirectory(path: folder, disk: disk)
    settings = DeviceSettings(world.random("settings of device \(number)"))
    ids = SharedRandom(world.random("ids of device \(number)"))
    checkpointPages = random.one(of: [4, 40, 1000])
    clockOffset = random.chance(0.3) ? random.number(-3_600_000...3_600_000) : 0
  }

  var name: String { "device-\(number)" }

  var options: StoreOptions {
    let ids = ids
    let work = work
    // No waiting for locks: on one thread, the lock holder only continues after the others have given up.
    var options = StoreOptions(
      vfs: disk.vfsName, random: { ids.words() }, lockTimeoutMilliseconds: 0, checkpointPages: checkpointPages)
    // Few at a time, so that events between two steps also occur with short histories.
    options.resubmissionStep = [1, 3, 50][number % 3]
    options.noteWork = { work.note($0) }
    return options
  }

  var configuration: Configuration {
    var configuration = Configuration()
    configuration.endpoint = Network.endpoint
    configuration.secondEndpoint = number % 3 == 0 ? Network.secondEndpoint : nil
    return configuration
  }

  func moment() -> Moment {
    Moment(
      wall: world.trueTime.advanced(byMilliseconds: clockOffset),
      monotonicMilliseconds: world.now - bootedAt + 10_000, boot: "boot-\(bootedAt)")
  }

  /// The virtual time at which the monotonic clock reads `reading`.
  func time(ofMonotonic reading: Int64) -> Int64 { reading - 10_000 + bootedAt }

  func monotonic(of time: Int64) -> Int64 { time - bootedAt + 10_000 }

  // MARK: What happens to it

  func jumpClock(by milliseconds: Int64) {
    clockOffset += milliseconds
    world.note(name, "its clock jumps by \(milliseconds) ms")
  }

  /// With its clock corrected.
  func startAnew() {
    if clockOffset != 0 { jumpClock(by: -clockOffset) }
    killEngine()
  }

  /// The power fails, and returns after a while.
  func losePower() {
    guard isOn else { return }
    disk.armDeath(of: nil, before: 0)
    endAll()
    afterPowerCut()
  }

  private func endAll() {
    engine?.end()
    engine = nil
    beside?.end()
    beside = nil
    unlockStore()
  }

  /// All processes are dead.
  private func afterPowerCut() {
    guard isOn else { return }
    isOn = false
    server.dropStreams(of: self)
    let away = random.number(500...60_000)
    world.after(1) { [self] in
      let lost = disk.loseUnsynced(seed: random.next())
      world.note(name, "has no power, and lost \(lost) writes")
    }
    world.after(1 + away) { [self] in boot() }
  }

  private func boot() {
    isOn = true
    bootedAt = world.now
    // A clock without a battery.
    if !world.isHealed, random.chance(0.1) { clockOffset = -random.number(0...31_536_000_000) }
    world.note(name, "boots")
    if hasWorker { world.after(random.number(100...5000)) { [self] in startWorker() } }
  }

  /// Kills the process that talks to the server.
  func killEngine() {
    guard let engine else { return }
    disk.kill(engine.process)
    world.note(name, "its worker is killed")
    engineDied()
  }

  /// The end of the run: every file is closed.
  func shutDown() { endAll() }

  private func engineDied() {
    engine?.end()
    engine = nil
    server.dropStreams(of: self)
    if hasWorker || world.isHealed { world.after(random.number(100...20_000)) { [self] in startWorker() } }
  }

  // MARK: Processes

  func startWorker() { startEngine(.continuous) }

  /// Sends and fetches once, as a command does at its end; beside a process that holds the lease, only what that one leaves
  /// unsent.
  func syncOnce() {
    if engine == nil { return startEngine(.once(deadlineMilliseconds: 60_000)) }
    startBeside(deadlineMilliseconds: 60_000)
  }

  /// - Parameter deadlineMilliseconds: nil for `alert activate`, which keeps trying for ten seconds.
  private func startBeside(deadlineMilliseconds: Int64?) {
    guard isOn, beside == nil else { return }
    let process = disk.newProcess()
    let started = attempt(process) {
      let store = try LocalStore.open(home, options: options, at: moment())
      return EngineProcess(
        device: self, process: process, store: store, lease: nil,
        mode: .withoutLease(afterMilliseconds: 3000, deadlineMilliseconds: deadlineMilliseconds))
    }
    guard case .success(let engine)? = started else { return }
    beside = engine
    world.note(name, "a command sends beside its worker")
    engine.tell(.start)
    if deadlineMilliseconds == nil { world.after(10_000) { engine.tell(.stop) } }
  }

  private func startEngine(_ mode: SyncMode) {
    guard isOn, engine == nil else { return }
    let process = disk.newProcess()
    let started = attempt(process) {
      guard let lease = try SenderLease.acquire(home) else { return nil as EngineProcess? }
      let store = try LocalStore.open(home, options: options, at: moment())
      world.oracle.look(at: store, of: number, now: world.now)
      return EngineProcess(device: self, process: process, store: store, lease: lease, mode: mode)
    }
    switch started {
    case .success(let engine?):
      self.engine = engine
      world.note(name, mode == .continuous ? "its worker starts" : "syncs once")
      engine.tell(.start)
    case .success(nil): world.note(name, "finds another sender")
    case .failure(let error):
      world.note(name, "cannot open its store: \(error)")
      if hasWorker, isOn { world.after(5000) { [self] in startWorker() } }
    case nil: if hasWorker { world.after(5000) { [self] in startWorker() } }
    }
  }

  /// The engine's run ended by itself.
  func finished(_ engine: EngineProcess, _ report: SyncReport) {
    if engine === beside {
      world.note(name, "the command beside its worker ends: \(report.error?.message ?? "no error")")
      beside = nil
      return engine.end()
    }
    guard engine === self.engine else { return }
    world.note(name, "sync ends: \(report.pushed) sent, \(report.pending) wait, \(report.error?.message ?? "no error")")
    self.engine = nil
    engine.end()
    if world.isHealed { world.after(1000) { [self] in startWorker() } }
  }

  /// Something was queued: wakes the process that talks to the server, or starts a command that sends once.
  func wasPoked(sendsOnce: Bool) {
    guard let engine else {
      if sendsOnce { world.after(random.number(1...50)) { [self] in syncOnce() } }
      return
    }
    world.after(random.number(1...50)) { engine.tell(.localWork) }
    if sendsOnce { world.after(random.number(1...50)) { [self] in startBeside(deadlineMilliseconds: nil) } }
  }

  /// Runs a command in its own process, with the store that it opens. Nil if it died.
  /// - Parameter call: the person's intent; nil if only the simulation looks.
  func command<Result>(
    during call: () -> PersonCall? = { nil }, _ body: (LocalStore) throws -> Result
  ) -> Swift.Result<Result, any Error>? {
    guard isOn else { return nil }
    let process = disk.newProcess()
    return attempt(process, during: call) {
      let store = try LocalStore.open(home, options: options, at: moment())
      return try body(store)
    }
  }

  /// Shows the oracle what a person would see here now.
  func look() {
    checkSettings()
    peek { world.oracle.look(at: $0, of: number, now: world.now) }
    lookAtPresses()
    measureLog()
  }

  /// Reports the log's size and the work done under the lock.
  func measureLog() {
    world.oracle.logSize(
      disk.bytes(of: "store.sqlite-wal"), checkpointPages: checkpointPages, of: number, now: world.now)
    world.oracle.worked(work.most, of: number, now: world.now)
  }

  /// Changes the configuration from time to time.
  func changeSettings() {
    world.after(settings.pause()) { [self] in
      guard !world.isHealed else { return }
      changeSettings()
      guard isOn else { return }
      let next = settings.next()
      let outcome = attempt(disk.newProcess()) { try next.save(home) }
      if case .success? = outcome { settings.isSaved(next) } else { settings.isInDoubt(next) }
      checkSettings()
    }
  }

  /// A configuration that was reported as saved must be there, whatever failed since.
  private func checkSettings() {
    guard isOn, let found = try? Configuration.load(home), !settings.allow(found) else { return }
    world.oracle.findings.add(
      .durable, "settings of \(number)",
      "the configuration of device \(number) was reported as saved, and has \(found.endpoint ?? "no endpoint") instead",
      at: world.now)
  }

  /// Reads the store outside of any process that could die.
  func peek<Result>(_ body: (LocalStore) throws -> Result) -> Result? {
    guard isOn else { return nil }
    if let engine, let store = engine.store {
      return try? disk.opening(for: engine.process) { try body(store) }
    }
    let process = disk.newProcess()
    return try? disk.opening(for: process) { try body(LocalStore.open(home, options: options, at: moment())) }
  }

  /// Runs one step of a process, in which it may die or the disk may fail. Nil if it died, and nobody was told the outcome.
  ///
  /// A person's call that dies may have taken effect or not, so the oracle is told which call it was.
  func attempt<Result>(
    _ process: Int32, during call: () -> PersonCall? = { nil }, _ body: () throws -> Result
  ) -> Swift.Result<Result, any Error>? {
    let dies = !world.isHealed && random.chance(deaths)
    let losesPower = random.chance(0.5)
    let fails = !dies && !world.isHealed && random.chance(diskErrors)
    if dies { disk.armDeath(of: losesPower ? nil : process, before: Int(random.number(0...8))) }
    if fails {
      disk.armError(
        random.one(of: SimulatedDisk.errors), at: Int(random.number(0...10)), forever: random.chance(0.3),
        applies: random.chance(0.3))
    }
    let result = disk.opening(for: process) { Swift.Result { try body() } }
    if fails { disk.disarmError() }
    if fails || dies { disturbPress() }
    guard disk.isDead(process) else {
      if dies { disk.disarmDeath(of: losesPower ? nil : process) }
      return result
    }
    if let call = call() { world.oracle.died(on: number, during: call, now: world.now) }
    world.note(name, disk.isWithoutPower ? "loses its power in a call" : "one of its processes dies in a call")
    if disk.isWithoutPower {
      endAll()
      afterPowerCut()
    } else if engine?.process == process {
      engineDied()
    } else {
      if beside?.process == process {
        beside?.end()
        beside = nil
      }
      if let engine { world.after(1) { engine.tell(.storeWritten) } }
    }
    return nil
  }
}
