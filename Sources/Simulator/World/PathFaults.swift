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
  func beginPaths() {
    var random = world.random("paths")
    let plan = PathPlan(&random)
    guard plan.hasRates else { return }
    for device in devices {
      device.changeLine(.random(&random))
      pathRandom[device.number] = SimulatedRandom(seed: random.next())
      repeatedly(60_000, plan.silentDeaths) { device.killConnections() }
      repeatedly(90_000, plan.flaps) { [self] in flap(device, rest: Int(count(for: device, 5...40))) }
    }
  }

  private func count(for device: SimulatedDevice, _ range: ClosedRange<Int64>) -> Int64 {
    pathRandom[device.number]?.number(range) ?? range.lowerBound
  }

  /// An address comes or goes every few seconds. One in eight times it was the one that the server was reached by; three times, or
  /// on half of the devices each other time, the server is reached by a new one beside it.
  private func flap(_ device: SimulatedDevice, rest: Int) {
    guard rest > 0, !world.isHealed else { return }
    let event = count(for: device, 0...7)
    if event < (device.number % 2 == 0 ? 8 : 4) { device.changeRoute(keepsOld: event > 0) }
    device.hearNetworkChange()
    world.after(count(for: device, 500...4000)) { [self] in flap(device, rest: rest - 1) }
  }
}
