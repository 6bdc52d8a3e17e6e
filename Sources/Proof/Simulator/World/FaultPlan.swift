/// How bad the world of one seed is. Each seed has its own mix of faults, and in some of them most things stay calm: bugs that
/// need a single kind of fault are found too ("swarm testing").
struct FaultPlan {
  /// How often a device's link changes, and how bad it gets.
  var linkHarshness: Double
  var linkPauseMilliseconds: Int64
  var responderHarshness: Double
  var kills: Double
  var powerCuts: Double
  var clockJumps: Double
  var serverDeaths: Double
  var serverPowerCuts: Double
  var serverClockJumps: Double
  var restores: Double
  /// In the middle of a process's work.
  var deathsInside: Double
  var diskErrors: Double
  /// The server's too.
  private(set) var hurtsServer = true

  init(_ random: inout SimulatedRandom) {
    func some(_ random: inout SimulatedRandom, _ most: Double) -> Double {
      random.chance(0.35) ? 0 : most * random.fraction()
    }
    linkHarshness = some(&random, 1)
    linkPauseMilliseconds = random.number(30_000...240_000)
    responderHarshness = some(&random, 0.8)
    kills = some(&random, 1)
    powerCuts = some(&random, 1)
    clockJumps = some(&random, 1)
    serverDeaths = some(&random, 1)
    serverPowerCuts = some(&random, 1)
    serverClockJumps = random.chance(0.2) ? random.fraction() : 0
    restores = random.chance(0.25) ? 1 : 0
    deathsInside = some(&random, 0.05)
    diskErrors = some(&random, 0.05)
  }

  /// Leaves the server alone; its clock may be wrong all the same.
  mutating func spareServer() {
    (serverDeaths, serverPowerCuts, restores) = (0, 0, 0)
    hurtsServer = false
  }
}

/// Triggers the faults of a plan at random times until the world is healed.
final class Faults {
  let world: World
  private let plan: FaultPlan
  let devices: [SimulatedDevice]
  private let server: SimulatedServer
  private var random: SimulatedRandom
  private(set) var count = 0
  var pathRandom: [Int: SimulatedRandom] = [:]

  init(world: World, plan: FaultPlan, devices: [SimulatedDevice], server: SimulatedServer) {
    self.world = world
    self.plan = plan
    self.devices = devices
    self.server = server
    random = world.random("faults")
  }

  func begin() {
    for device in devices {
      device.deaths = plan.deathsInside
      device.diskErrors = plan.diskErrors
      repeatedly(plan.linkPauseMilliseconds) { [self] in
        device.change(.random(&random, harshness: plan.linkHarshness))
      }
      repeatedly(150_000, plan.kills) { device.killEngine() }
      repeatedly(300_000, plan.powerCuts) { device.losePower() }
      repeatedly(240_000, plan.clockJumps) { [self] in device.jumpClock(by: jump()) }
    }
    server.deaths = plan.hurtsServer ? plan.deathsInside / 3 : 0
    server.diskErrors = plan.hurtsServer ? plan.diskErrors / 3 : 0
    repeatedly(200_000, plan.serverDeaths) { [self] in server.dieAndComeBack(losesPower: false) }
    repeatedly(300_000, plan.serverPowerCuts) { [self] in server.dieAndComeBack(losesPower: true) }
    repeatedly(400_000, plan.serverClockJumps) { [self] in server.jumpClock(by: jump()) }
    guard plan.restores > 0 else { return }
    repeatedly(180_000) { [self] in server.backUp() }
    repeatedly(400_000) { [self] in server.restore() }
  }

  func repeatedly(_ meanMilliseconds: Int64, _ part: Double = 1, _ happen: @escaping () -> Void) {
    world.repeatedly(meanMilliseconds, part, wait: { [self] in random.wait(meanMilliseconds: $0) }) { [self] in
      count += 1
      happen()
    }
  }

  /// Seconds, hours, or a year.
  private func jump() -> Int64 {
    let most: Int64 = random.one(of: [10_000, 7_200_000, 31_536_000_000])
    return random.number(-most...most)
  }

  /// Ends all faults. Half of the machines get their clocks corrected and their workers restarted: the right clock must not
  /// wait for times stored under a wrong one.
  func heal() {
    world.heal()
    for device in devices {
      device.change(.perfect)
      device.changeLine(nil)
      device.deaths = 0
      device.diskErrors = 0
      if random.chance(0.5) { device.startAnew() }
    }
    server.deaths = 0
    server.diskErrors = 0
    server.start()
  }
}
