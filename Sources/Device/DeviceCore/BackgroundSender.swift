import Glibc
package import LocalStore
import SystemKit

/// The process that goes on sending and fetching when the command that raised an alert has ended, until nothing waits to be sent and no
/// alert is active. A home has one at most, and a second where that one stands still.
package enum BackgroundSender {
  package enum Start: Hashable, Sendable {
    /// There is one already.
    case running
    case started
    /// The environment forbids it.
    case switchedOff
    /// Why none can be started, as a sentence without a full stop.
    case failed(String)
  }

  /// What it is started as, behind the program's path.
  package static func arguments(home: String) -> [String] { ["--home", home, "sync", "--watch", "--while-needed"] }

  /// Makes sure that there is one. Never harms what is saved: it only starts a process, after a commit.
  ///
  /// - Parameter program: the command line's own path; nil if unknown.
  package static func start(
    _ home: HomeDirectory, program: String? = OwnExecutable.path, setting: String? = nil
  ) -> Start {
    if setting == "off" { return .switchedOff }
    // A lock that cannot be examined counts as free: a second process finds it taken, and ends.
    if stands(by: home) { return .running }
    guard let program else { return .failed("this program cannot tell where it is installed") }
    do throws(SystemError) {
      _ = try DetachedProgram.start(program, arguments(home: home.absolutePath ?? home.path))
      return .started
    } catch {
      return .failed("a background process could not be started (\(error.reason))")
    }
  }

  private static func stands(by home: HomeDirectory) -> Bool {
    if (try? BackgroundLease.holder(home, .second)) != nil { return true }
    guard let first = try? BackgroundLease.holder(home) else { return false }
    return !standsStill(first, home)
  }

  /// Acquires the lease: the second where the holder of the first stands still. Nil if another process has it.
  package static func acquireLease(_ home: HomeDirectory) throws(LocalStoreError) -> BackgroundLease? {
    if let lease = try BackgroundLease.acquire(home) { return lease }
    guard let first = try BackgroundLease.holder(home), standsStill(first, home) else { return nil }
    return try BackgroundLease.acquire(home, .second)
  }

  /// Whether the process is stopped; or holds the sender's lease, and does not answer for two seconds.
  private static func standsStill(_ process: Int32, _ home: HomeDirectory) -> Bool {
    if ProcessState.isStopped(process) { return true }
    guard SenderStamp.read(home)?.processID == process, case .standingStill? = try? SenderHealth.examine(home) else {
      return false
    }
    return true
  }

  /// How long a process that was just started has to get ready.
  static let readyMilliseconds: Int64 = 2000
  private static let lookMilliseconds: Int64 = 50

  /// Whether one stands by, or becomes ready within two seconds of `startMilliseconds`, which is monotonic.
  package static func isReady(
    _ home: HomeDirectory, since startMilliseconds: Int64 = DeviceClock.monotonicMilliseconds()
  ) -> Bool {
    let watcher = StoreWatcher(home)
    let end = startMilliseconds + readyMilliseconds
    while true {
      if stands(by: home) { return true }
      let left = min(lookMilliseconds, end - DeviceClock.monotonicMilliseconds())
      guard left > 0 else { return false }
      if let watcher { _ = watcher.wait(milliseconds: left) } else { _ = poll(nil, 0, Int32(left)) }
    }
  }
}

extension LocalStore {
  /// Whether a sender in the background has anything to do: an alert is active, or something waits that this device can send.
  package func needsSender() throws(LocalStoreError) -> Bool {
    guard let session = try session() else { return false }
    let status = try status()
    // The server takes nothing from this device, and will not until the next sign-in. What is urgent is tried on.
    guard status.sync.signedIn || status.sync.isSessionExpired || !session.isRevoked else {
      return try isUrgentUnsent()
    }
    if status.alert?.isActive == true || status.sync.unsentOutside > 0 { return true }
    // Without a session, only alerts are sent.
    if !status.sync.signedIn { return try isUrgentUnsent() }
    return status.sync.pending > 0
  }

  private func isUrgentUnsent() throws(LocalStoreError) -> Bool {
    if try unsentCall() != nil { return true }
    return try unsentEnd() != nil
  }
}
