import Synchronization

/// How long a write waits for the lock that another process holds: five seconds at first, and hardly at all while that process still
/// has it, so that what waits behind is answered too.
final class LockWait: Sendable {
  private let isBusy = Atomic(false)

  var milliseconds: Int { isBusy.load(ordering: .relaxed) ? 50 : 5000 }

  func note(isBusy: Bool) { self.isBusy.store(isBusy, ordering: .relaxed) }
}
