import SyncEngine

// What people do, and what follows from it.

extension HerdRun {
  mutating func live(_ what: HerdEvent.What, _ device: Int) {
    switch what {
    case .raise where devices[device].situation.hasActiveAlert: schedule(.raise, device, after: nextAlert())
    case .raise:
      devices[device].save(alertIsActive: true, at: now)
      schedule(.end, device, after: random.wait(meanMilliseconds: settings.alertMilliseconds))
      tell(.localWork, device)
    case .end:
      devices[device].save(alertIsActive: false, at: now)
      schedule(.raise, device, after: nextAlert())
      tell(.localWork, device)
    case .contact:
      devices[device].saveContact()
      schedule(.contact, device, after: nextContact())
      tell(.localWork, device)
    default: newsFor(device)
    }
  }

  /// The server accepted alerts or ends: responders are told, look and answer, and the device is told of each step.
  mutating func accepted(_ savedAt: [Int64], _ device: Int) {
    guard !savedAt.isEmpty else { return }
    for time in savedAt { waits.add(savedAt: time, acceptedAt: now, settings) }
    schedule(.receipt, device, after: random.number(1000...4000))
    guard devices[device].situation.hasActiveAlert else { return }
    for _ in 0..<4 { schedule(.receipt, device, after: random.wait(meanMilliseconds: 180_000)) }
  }

  /// When the device's next alert is raised, so that in the long run `alertShare` of the devices have one.
  mutating func nextAlert() -> Int64 {
    guard settings.alertShare > 0 else { return .max / 4 }
    return random.wait(meanMilliseconds: Int64(Double(settings.alertMilliseconds) * (1 / settings.alertShare - 1)))
  }

  mutating func nextContact() -> Int64 { random.wait(meanMilliseconds: settings.contactMilliseconds) }
}

/// How long alerts and ends waited to be accepted.
struct HerdWaits {
  /// From their save, or from the return of the server if they were saved in the outage.
  private(set) var longestInNormalLife: Int64 = 0
  private(set) var longestAfterReturn: Int64 = 0
  private(set) var accepted = 0
  /// Those that were saved in the outage.
  private(set) var savedInOutage = 0

  mutating func add(savedAt: Int64, acceptedAt: Int64, _ settings: HerdSettings) {
    guard acceptedAt >= settings.outageStart else {
      guard savedAt >= settings.warmUpMilliseconds else { return }
      longestInNormalLife = max(longestInNormalLife, acceptedAt - savedAt)
      accepted += 1
      return
    }
    longestAfterReturn = max(longestAfterReturn, acceptedAt - max(savedAt, settings.outageEnd))
    accepted += 1
    if savedAt >= settings.outageStart, savedAt < settings.outageEnd { savedInOutage += 1 }
  }
}
