import Glibc
package import LocalStore
import SystemKit

/// The process that goes on sending and fetching when the command that raised an alert has ended, until nothing waits to be sent and no
/// alert is active. A home has one at most.
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
    if (try? BackgroundLease.holder(home)) != nil { return .running }
    guard let program else { return .failed("this program cannot tell where it is installed") }
    do throws(SystemError) {
      _ = try DetachedProgram.start(program, arguments(home: home.absolutePath ?? home.path))
      return .started
    } catch {
      return .failed("a background process could not be started (\(error.reason))")
    }
  }

  /// How long a process that was just started has to get ready.
  static let readyMilliseconds: Int64 = 2000
  private static let lookMilliseconds: Int64 = 50

  /// Whether one stands by, or becomes ready within two seconds.
  package static func isReady(_ home: HomeDirectory) -> Bool {
    let watcher = StoreWatcher(home)
    let end = DeviceClock.monotonicMilliseconds() + readyMilliseconds
    while true {
      if (try? BackgroundLease.holder(home)) != nil { return true }
      let left = min(lookMilliseconds, end - DeviceClock.monotonicMilliseconds())
      guard left > 0 else { return false }
      if let watcher { _ = watcher.wait(milliseconds: left) } else { _ = poll(nil, 0, Int32(left)) }
    }
  }
}

extension LocalStore {
  /// Whether a sender in the background has anything to do: an alert is active, or something waits that this device can send.
  package func needsSender() throws(LocalStoreError) -> Bool {
    guard try session() != nil else { return false }
    let status = try status()
    // The server no longer takes anything from this device.
    guard status.sync.signedIn || status.sync.isSessionExpired else { return false }
    if status.alert?.isActive == true || status.sync.unsentOutside > 0 { return true }
    // Without a session, only alerts are sent.
    if status.sync.isSessionExpired {
      if try unsentCall() != nil { return true }
      return try unsentEnd() != nil
    }
    return status.sync.pending > 0
  }
}
