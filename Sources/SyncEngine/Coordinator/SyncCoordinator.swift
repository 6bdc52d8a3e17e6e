package import LocalStore
package import Model

/// The planner and the store together: events in, commands out.
///
/// Synchronous and without a clock, a random number, a thread or a socket: the shell, or a simulator, gives the events with
/// the moment at which they happened. Not `Sendable`: one thread drives it.
///
/// ```swift
/// for command in coordinator.handle(.start, at: clock.now(), jitter: .random(in: 0..<1)) { perform(command) }
/// ```
package final class SyncCoordinator {
  let store: LocalStore

  /// The shell holds the sender's lease as long as this lives.
  package init(store: LocalStore, configuration: SyncConfiguration, mode: SyncMode) {
    self.store = store
  }

  /// Takes in one event. `jitter` is a fresh random number in `0..<1`.
  package func handle(_ event: SyncEvent, at moment: Moment, jitter: Double) -> [SyncCommand] {
    fatalError("not yet")
  }
}
