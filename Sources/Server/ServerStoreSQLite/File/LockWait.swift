import Synchronization

/// The timeout of a write for the lock that another process holds: five seconds at first, and 50 ms while that process still
/// holds it, so that queued requests are answered too.
final class LockWait: Sendable {
  private let isBusy = Atomic(false)

  var milliseconds: Int { isBusy.load(ordering: .relaxed) ? 50 : 5000 }

  func note(isBusy: Bool) { self.isBusy.store(isBusy, ordering: .relaxed) }
}
