import Glibc
import LocalStore
import Model
import SystemKit

// Processes of a device that freeze and continue.

extension SimulatedDevice {
  /// The process in which people may act; a frozen one does nothing.
  var app: EngineProcess? { isEngineFrozen ? nil : engine }

  /// Whether the process that talks to the server, or runs inside the app, is frozen.
  var isEngineFrozen: Bool { engine?.isFrozen ?? false }

  /// False if there is none to freeze.
  @discardableResult
  func freezeEngine(milliseconds: Int64) -> Bool {
    guard let engine, !engine.isFrozen else { return false }
    engine.freeze()
    disturbPress()
    world.note(name, "its worker freezes")
    world.after(milliseconds) { [self] in resume(engine) }
    return true
  }

  func resumeEngine() {
    if let engine { resume(engine) }
  }

  private func resume(_ engine: EngineProcess) {
    guard engine.isFrozen, engine.isAlive else { return }
    world.note(name, "its worker continues")
    engine.resume()
  }

  /// A process freezes in the middle of a transaction, which it rolls back when it continues.
  func lockStore(milliseconds: Int64) {
    guard isOn, !isStoreLocked, let lock = StoreLock(home.storeLockPath) else { return }
    storeLock = lock
    pressesOfLock = []
    disturbPress()
    world.note(name, "its store is locked")
    world.after(milliseconds) { [self] in if storeLock === lock { unlockStore() } }
  }

  func unlockStore() {
    guard isStoreLocked else { return }
    storeLock = nil
    world.note(name, "its store is unlocked")
  }

  var isStoreLocked: Bool { storeLock != nil }

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

/// The store's lock, held for a frozen process while the value lives.
final class StoreLock {
  let file: FileDescriptor

  /// Nil where it is not free.
  init?(_ path: String) {
    guard let file = FileDescriptor(opening: path, O_RDWR), (try? file.tryLock()) == true else { return nil }
    self.file = file
  }

  /// Closing the file would not release the lock while a child that another test is about to start also has it open, and
  /// the run would not be the seed's.
  deinit {
    file.unlock(takenBy: getpid())
  }
}
