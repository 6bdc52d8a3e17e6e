import Glibc
import LocalStore
import Model

/// Processes that freeze for a while and then continue: stopped from a terminal, frozen with their container, blocked by a
/// terminal that takes no output.
///
/// - The worker of a device, which holds the sender's lease: it sees events when it continues.
/// - A process of a device in the middle of a transaction, which holds the store's lock.
/// - The server: requests reach it when it continues.
///
/// Has its own random stream, so that a seed's other faults stay the same without it.
final class Freezes {
  private let world: World
  private let devices: [SimulatedDevice]
  private let people: [Person]
  private let server: SimulatedServer
  private var random: SimulatedRandom
  /// How frequent each kind is in this world, from 0 to 1.
  private let workers: Double
  private let transactions: Double
  private let servers: Double
  private(set) var count = 0

  init(world: World, devices: [SimulatedDevice], people: [Person], server: SimulatedServer) {
    self.world = world
    self.devices = devices
    self.people = people
    self.server = server
    random = world.random("standstills")
    workers = random.chance(0.4) ? 0 : random.fraction()
    transactions = random.chance(0.4) ? 0 : random.fraction()
    servers = random.chance(0.6) ? 0 : random.fraction()
  }

  func begin() {
    for device in devices {
      repeatedly(200_000, workers) { [self] in
        device.freezeEngine(milliseconds: random.number(2000...180_000))
      }
      repeatedly(200_000, transactions) { [self] in
        device.lockStore(milliseconds: random.number(1000...90_000))
      }
    }
    repeatedly(300_000, servers) { [self] in server.freeze(milliseconds: random.number(1000...60_000)) }
  }

  private func repeatedly(_ meanMilliseconds: Int64, _ part: Double, _ happen: @escaping () -> Void) {
    world.repeatedly(meanMilliseconds, part, wait: { [self] in random.wait(meanMilliseconds: $0) }) { [self] in
      count += 1
      happen()
    }
  }

  // MARK: When the other faults are over

  /// How long a worker stays frozen after the other faults, and the limit for a waiting alert in that time: people ask for an
  /// attempt every 30 s, and a request that the server once refused may wait for 5 minutes.
  private static let lastFreezeMilliseconds: Int64 = 400_000
  private static let alertLimitMilliseconds: Int64 = 390_000

  /// Ends all kinds but one: some workers freeze in an otherwise healthy world, and alerts must be sent all the same.
  func heal() {
    server.resume()
    for (device, person) in zip(devices, people) {
      device.resumeEngine()
      device.unlockStore()
      guard random.chance(workers) else { continue }
      world.after(100) { [self] in stop(device, person) }
    }
  }

  /// An active real alert: drills, and a history that is offered again to a restored server, may wait.
  private static func hasAlertToSend(_ store: LocalStore) throws -> Bool {
    guard let session = try store.session(), !session.isExpired else { return false }
    let alerts = try store.history(limit: 1000, before: nil).entries.map(\.alert)
    let active = Set(alerts.filter { $0.isActive && !$0.isDrill }.map { EntityID($0.id) })
    return try store.queue().contains { $0.lane == .emergency && $0.parked == nil && active.contains($0.entityID) }
  }

  private func stop(_ device: SimulatedDevice, _ person: Person) {
    guard device.freezeEngine(milliseconds: Self.lastFreezeMilliseconds) else { return }
    count += 1
    world.after(Self.alertLimitMilliseconds) { [world] in
      guard device.isEngineFrozen, !person.isExpiryExcused else { return }
      guard device.peek(Self.hasAlertToSend) == true else { return }
      world.oracle.holderIsFrozen(on: device.number, milliseconds: Self.alertLimitMilliseconds, now: world.now)
    }
  }
}

extension Oracle {
  /// The device's worker was frozen for this long while the server could be reached and a person asked for attempts, and an
  /// alert still waits.
  func holderIsFrozen(on device: Int, milliseconds: Int64, now: Int64) {
    findings.add(
      .nothingLost, "holder of \(device)",
      "an alert of device \(device) waits behind a process that has been frozen for \(milliseconds / 1000) s", at: now)
  }

  /// Alerts that went to the spool while a process held the store's lock, and that are in the store now.
  /// - Parameter active: the active real alerts among them.
  func spooledPresses(_ presses: Int, active: [AlertID], on device: Int, now: Int64) {
    guard active.count > 1 else { return }
    findings.add(
      .order, "presses of \(device) \(active)",
      "\(presses) presses on device \(device) while its store was locked became \(active.count) active alerts", at: now)
  }
}
