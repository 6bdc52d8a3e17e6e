import Glibc
import LocalStore
import Model

// Processes of a device that freeze and continue.

extension SimulatedDevice {
  /// The process in which people may act; a frozen one does nothing.
  var app: EngineProcess? { isEngineStandingStill ? nil : engine }

  /// Whether the process that talks to the server, or runs inside the app, is frozen.
  var isEngineStandingStill: Bool { engine?.isStandingStill ?? false }

  /// False if there is none to freeze.
  @discardableResult
  func stopEngine(milliseconds: Int64) -> Bool {
    guard let engine, !engine.isStandingStill else { return false }
    engine.standStill()
    disturbPress()
    world.note(name, "its worker freezes")
    world.after(milliseconds) { [self] in goOn(with: engine) }
    return true
  }

  func goOnWithEngine() {
    if let engine { goOn(with: engine) }
  }

  private func goOn(with engine: EngineProcess) {
    guard engine.isStandingStill, engine.isAlive else { return }
    world.note(name, "its worker continues")
    engine.goOn()
  }

  /// A process freezes in the middle of a transaction, which it rolls back when it continues.
  func lockStore(milliseconds: Int64) {
    guard isOn, storeLock < 0 else { return }
    let descriptor = open(home.storeLockPath, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      return
    }
    storeLock = descriptor
    pressesOfLock = []
    disturbPress()
    world.note(name, "its store is locked")
    world.after(milliseconds) { [self] in if storeLock == descriptor { unlockStore() } }
  }

  func unlockStore() {
    guard storeLock >= 0 else { return }
    close(storeLock)
    storeLock = -1
    world.note(name, "its store is unlocked")
  }

  var isStoreLocked: Bool { storeLock >= 0 }

  func lookAtPresses() {
    guard !isStoreLocked, pressesOfLock.count > 1, Spool.alerts(home).isEmpty else { return }
    let active = peek { store in
      try store.history(limit: 1000, before: nil).entries.map(\.alert).filter { $0.isActive && !$0.isDrill }.map(\.id)
    }
    guard let active else { return }
    world.oracle.spooledPresses(
      pressesOfLock.count, active: active.filter(pressesOfLock.contains), on: number, now: world.now)
  }
}
