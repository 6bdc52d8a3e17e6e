import LocalStore

/// What a device's configuration may be: what was last said to be saved, and what was tried since without an answer.
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

  /// It may be there or not, and after a power cut the other way round.
  mutating func isInDoubt(_ configuration: Configuration) { possible.append(configuration) }

  func allow(_ configuration: Configuration) -> Bool { possible.contains(configuration) }
}
