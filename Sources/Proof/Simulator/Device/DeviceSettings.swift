import LocalStore

/// The possible contents of a device's configuration: what was last reported as saved, and later attempts with an unknown
/// outcome.
struct DeviceSettings {
  private var random: SimulatedRandom
  private var number = 0
  private var possible: [Configuration] = [Configuration()]

  init(_ random: SimulatedRandom) { self.random = random }

  mutating func pause() -> Int64 { random.wait(meanMilliseconds: 120_000) }

  mutating func next() -> Configuration {
    number += 1
    var configuration = Configuration()
    configuration.endpoint = "https://s\(number).example"
    return configuration
  }

  mutating func isSaved(_ configuration: Configuration) { possible = [configuration] }

  /// It may be there or not, and a power cut may change that.
  mutating func isInDoubt(_ configuration: Configuration) { possible.append(configuration) }

  func allow(_ configuration: Configuration) -> Bool { possible.contains(configuration) }
}
