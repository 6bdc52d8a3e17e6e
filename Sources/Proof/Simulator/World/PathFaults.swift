import CurlKit

/// Faults of the network paths of one run: line speeds, kept connections that die silently, addresses that come and go. Only in
/// some runs, with a random stream of its own.
struct PathPlan {
  var hasRates: Bool
  /// How often a device's addresses flap, and connections die.
  var flaps: Double
  var silentDeaths: Double

  init(_ random: inout SimulatedRandom) {
    hasRates = random.chance(0.4)
    flaps = hasRates && random.chance(0.5) ? random.fraction() : 0
    silentDeaths = hasRates && random.chance(0.5) ? random.fraction() : 0
  }
}

/// Paths that forget quiet streams, and servers of an earlier version: some in each run, with a random stream of their own. They stay when
/// the other faults are over.
struct QuietPlan {
  private var random: SimulatedRandom
  let isOldServer: Bool

  init(_ world: World) {
    random = world.random("quiet")
    isOldServer = random.chance(0.2)
  }

  /// For half of the devices: shorter and longer than each interval of heartbeats but the first.
  mutating func limitMilliseconds() -> Int64? {
    random.chance(0.5) ? random.one(of: [40_000, 70_000, 130_000, 240_000, 450_000]) : nil
  }
}

extension Faults {
  func beginPaths(_ people: [Person]) {
    var random = world.random("paths")
    let plan = PathPlan(&random)
    guard plan.hasRates else { return }
    for (device, person) in zip(devices, people) {
      let isTraveller = plan.flaps > 0 && random.chance(0.5)
      device.changeLine(isTraveller ? Line.Rates(up: 16_000, down: 16_000) : .random(&random))
      pathRandom[device.number] = SimulatedRandom(seed: random.next())
      repeatedly(60_000, plan.silentDeaths) { device.killConnections() }
      repeatedly(90_000, plan.flaps) { [self] in travel(person) }
    }
  }

  private func count(for device: SimulatedDevice, _ range: ClosedRange<Int64>) -> Int64 {
    pathRandom[device.number]?.number(range) ?? range.lowerBound
  }

  /// The person raises an alert in the moment between two networks.
  private func travel(_ person: Person) {
    let device = person.device
    if device.isOn { person.end() }
    world.after(15_000) { [self] in
      flap(device, rest: Int(count(for: device, 5...40)))
      world.after(count(for: device, 500...5000)) { [self] in
        if device.isOn, !world.isHealed { person.raise() }
      }
    }
  }

  /// An address comes or goes every few seconds. On half of the devices the server is then reached over a new address beside
  /// the old one. On the others that happens three times in eight, and once in eight times the old address disappears.
  private func flap(_ device: SimulatedDevice, rest: Int) {
    guard rest > 0, !world.isHealed else { return }
    let event = count(for: device, 0...7)
    let keepsAll = device.number % 2 == 0
    if keepsAll || event < 4 { device.changeRoute(keepsOld: keepsAll || event > 0) }
    device.hearNetworkChange()
    world.after(count(for: device, 500...4000)) { [self] in flap(device, rest: rest - 1) }
  }
}
