import CurlKit

/// What happens to the ways of one run: how fast lines are, kept connections that die in silence, addresses that come and go.
/// With a stream of chance of its own, and in some runs only.
struct PathPlan {
  var hasRates: Bool
  /// How often the addresses of a device flap, and connections die.
  var flaps: Double
  var silentDeaths: Double

  init(_ random: inout SimulatedRandom) {
    hasRates = random.chance(0.4)
    flaps = hasRates && random.chance(0.5) ? random.fraction() : 0
    silentDeaths = hasRates && random.chance(0.5) ? random.fraction() : 0
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

  /// Whoever is between one network and the next calls for help just then.
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

  /// An address comes or goes every few seconds. On half of the devices the server is then reached by a new one beside the old; on
  /// the others that is so three in eight times, and one in eight times the old one is gone.
  private func flap(_ device: SimulatedDevice, rest: Int) {
    guard rest > 0, !world.isHealed else { return }
    let event = count(for: device, 0...7)
    let keepsAll = device.number % 2 == 0
    if keepsAll || event < 4 { device.changeRoute(keepsOld: keepsAll || event > 0) }
    device.hearNetworkChange()
    world.after(count(for: device, 500...4000)) { [self] in flap(device, rest: rest - 1) }
  }
}
