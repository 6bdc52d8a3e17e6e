import Glibc
import PhoneNumbers
package import PlantedBugs
import SyncEngine
import TestSupport

/// One run: devices, the server, responders and people, faults for some minutes, and then time to settle.
package struct Simulation {
  package var seed: UInt64
  /// Nil: `deviceCount` picks 2 to 8.
  package var devices: Int?
  package var minutes: Int
  package var bug: PlantedBug?
  package var keepsTrace = false
  /// How many alerts the first person has raised and ended before the run; nil: by the seed, and none in most runs.
  package var historyAlerts: Int?
  /// How many items and changes an exchange carries at most; nil: as many as in earnest.
  package var exchangeItems: Int?
  /// Nothing hurts the server before everything has settled, and its calls until then are kept.
  package var keepsServerHistory = false

  /// The time limit for settling, counted from the end of the faults. A channel that asked to wait is waited for at most an
  /// hour; a routine item is retried within 15 minutes.
  static let settlingMinutes = 75

  package init(seed: UInt64, devices: Int? = nil, minutes: Int = 10) {
    self.seed = seed
    self.devices = devices
    self.minutes = minutes
  }

  /// The seed's number of devices within the range. It depends on the seed alone, so that a seed of a range is the same run by
  /// itself.
  package static func deviceCount(_ seed: UInt64, in range: ClosedRange<Int>) -> Int {
    var random = SimulatedRandom(seed: seed, stream: "devices")
    return Int.random(in: range, using: &random)
  }

  /// Why runs would be meaningless here; nil if they are not. Without libphonenumber the server signs nobody in.
  package static var obstacle: String? {
    do {
      _ = try PhoneNumber.parse(phones[0], region: nil)
      return nil
    } catch {
      return
        "nobody could sign in without telephone numbers: build the product lifesignal-phone next to this program"
    }
  }

  package struct Outcome {
    package var seed: UInt64
    package var violations: [Violation]
    package var trace: Trace
    package var devices: Int
    /// Simulated time summed over all devices.
    package var deviceMinutes: Double
    package var faults: Int
    package var messages: Int
    package var serverHistory: ServerCalls?
  }

  /// Runs in this folder, which is removed at the end.
  package func run(in folder: String) -> Outcome {
    PlantedBug.plant(bug) { runPlanted(in: folder) }
  }

  private func runPlanted(in folder: String) -> Outcome {
    removeTree(folder)
    mkdir(folder, 0o700)
    defer { removeTree(folder) }
    let world = World(seed: seed, keepsTrace: keepsTrace)
    if let exchangeItems { world.oracle.traffic.exchangesForOne = ExchangeSizes.usual.items / exchangeItems }
    var random = world.random("plan")
    let count = devices ?? Self.deviceCount(seed, in: 2...8)
    var plan = FaultPlan(&random)
    let history = keepsServerHistory ? 0 : historyLength(world)
    if history > 0 { plan.restores = 0 }
    if keepsServerHistory { plan.spareServer() }
    let responders = Responders(world: world)
    responders.harshness = plan.responderHarshness
    let server = SimulatedServer(world: world, folder: "\(folder)/server", responders: responders)
    let network = Network(world: world, server: server)
    let machines = (0..<count).map { number in
      SimulatedDevice(
        number, folder: "\(folder)/device-\(number)", hasWorker: random.chance(0.75), world: world, network: network,
        server: server)
    }
    world.disturbPresses = { for machine in machines { machine.disturbPress() } }
    var quiet = QuietPlan(world)
    server.ignoresHeartbeat = quiet.isOldServer
    for machine in machines {
      machine.quietLimitMilliseconds = quiet.limitMilliseconds()
      if let exchangeItems { machine.exchangeSizes = .atMost(exchangeItems) }
    }
    let people = makePeople(machines, &random)
    let visits = PageVisits(world: world, server: server)
    responders.hears.append { visits.arrived($0) }
    let crowd = Crowd(world: world, server: server, responders: responders)
    let hangingHosts = HangingHosts(world: world, server: server, responders: responders)
    let vigil = Vigil(world: world, server: server, responders: responders)
    let faults = Faults(world: world, plan: plan, devices: machines, server: server)
    let freezes = Freezes(world: world, devices: machines, people: people, server: server)
    server.keepsHistory = keepsServerHistory
    server.start()
    for machine in machines where machine.hasWorker { machine.startWorker() }
    for person in people { person.begin() }
    for machine in machines {
      machine.changeSettings()
      machine.watchQuiet()
    }
    faults.begin()
    if history > 0 { bring(history, people, server, world) }
    // Paths stay well with a long history: a hundred contacts who are told of hundreds of alerts take half an hour of messages.
    if history == 0 { faults.beginPaths(people) }
    freezes.begin()
    world.run(until: Int64(minutes) * 60_000)
    faults.heal()
    crowd.begin()
    hangingHosts.begin()
    freezes.heal()
    for person in people { person.settle() }
    settle(world, machines, server)
    let serverHistory = server.history
    vigil.run()
    YearLater(world: world, server: server).run()
    let outcome = Outcome(
      seed: seed, violations: world.oracle.violations, trace: world.trace, devices: count,
      deviceMinutes: Double(world.now) / 60_000 * Double(count), faults: faults.count + freezes.count,
      messages: responders.messages, serverHistory: serverHistory)
    for machine in machines { machine.shutDown() }
    server.shutDown()
    responders.hears = []
    world.end()
    return outcome
  }

  /// In some runs one person has a long history that the server loses by a restore from an older backup.
  private func bring(_ history: Int, _ people: [Person], _ server: SimulatedServer, _ world: World) {
    guard let person = people.first else { return }
    person.awaitAccount {
      server.backUp()
      person.liveThroughHistory(count: history) { server.restore() }
    }
  }

  /// 0 in most runs; otherwise long enough to expose work that grows with the history.
  private func historyLength(_ world: World) -> Int {
    var random = world.random("history")
    if let historyAlerts { return historyAlerts }
    return random.chance(0.05) ? Int(random.number(350...600)) : 0
  }

  private static let phones = ["+12025550123", "+12025550148", "+12025550177"]

  /// One to three accounts, some with several devices.
  private func makePeople(_ machines: [SimulatedDevice], _ random: inout SimulatedRandom) -> [Person] {
    let accounts = Int(random.number(1...3))
    let pause = random.number(45_000...480_000)
    return machines.map { machine in
      let own = Self.phones[machine.number % accounts]
      return Person(device: machine, phones: [own] + Self.phones.filter { $0 != own }, pauseMilliseconds: pause)
    }
  }

  /// Checks every minute whether everything has settled.
  private func settle(_ world: World, _ machines: [SimulatedDevice], _ server: SimulatedServer) {
    let end = world.now + Int64(Self.settlingMinutes) * 60_000
    while world.now < end {
      world.run(until: min(end, world.now + 60_000))
      if unsettled(world, machines, server)?.isEmpty == true { break }
    }
    finish(world, machines, server)
  }

  private func unsettled(_ world: World, _ machines: [SimulatedDevice], _ server: SimulatedServer) -> [String]? {
    let stores = machines.compactMap { machine in machine.engine?.store.map { (number: machine.number, store: $0) } }
    guard stores.count == machines.count else { return nil }
    return server.inspect { world.oracle.unsettled(stores, $0, now: world.now) }
  }

  private func finish(_ world: World, _ machines: [SimulatedDevice], _ server: SimulatedServer) {
    let stores = machines.compactMap { machine in machine.engine?.store.map { (number: machine.number, store: $0) } }
    for (number, store) in stores { world.oracle.look(at: store, of: number, now: world.now) }
    for machine in machines { machine.measureLog() }
    let isFinished: Void? = server.inspect { world.oracle.finish(stores, $0, now: world.now) }
    if isFinished == nil { world.note("world", "the server is down at the end") }
  }
}
