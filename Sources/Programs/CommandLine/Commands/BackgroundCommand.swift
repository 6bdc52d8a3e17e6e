import CurlTransport
import DeviceCore
import Glibc
import LocalStore
import Model
import SystemKit

/// `sync --watch --while-needed`: the sender that goes on after the command that raised an alert has ended. It ends when nothing waits to
/// be sent and no alert is active, when the home is gone, and when another one is there.
final class BackgroundCommand {
  private let home: HomeDirectory
  private let context: Context
  private let stop: StopRequest
  /// How often in a row the store could not be opened.
  private var failures = 0
  /// How often the worker could not go on.
  private var workerFailures = 0

  private init(home: HomeDirectory, context: Context, stop: StopRequest) {
    self.home = home
    self.context = context
    self.stop = stop
  }

  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    guard let stop = StopRequest() else {
      throw Failure(SyncWorkerError(.system, AccountTexts.noSignals))
    }
    let home = try context.home()
    HomeOwner.remainOwner()
    return try BackgroundCommand(home: home, context: context, stop: stop).run()
  }

  /// How long it waits before it tries again to open a store that cannot be opened.
  private static let reopeningMilliseconds = 10_000
  /// How often it looks whether it is still needed, without a change: inotify(7) tells nothing of a folder that is removed while files in
  /// it are open.
  private static let lookMilliseconds = 10_000
  /// What cannot be opened, or run, may be needed for an alert. It is tried for an hour.
  private static let mostFailures = 360

  private func run() throws(Failure) -> ExitStatus {
    while !stop.isMade {
      // Released before the last look: whoever raises an alert now starts another one, or this one sees the alert.
      guard try holdLeaseAndSend(), isNeeded else { return .done }
    }
    return .done
  }

  /// Sends while it holds the lease, which is released when this returns. False if another process has it.
  private func holdLeaseAndSend() throws(Failure) -> Bool {
    let lease = try context.attempt { () throws(LocalStoreError) in try BackgroundSender.acquireLease(home) }
    guard let lease else { return false }
    try withExtendedLifetime(lease) { () throws(Failure) in try sendWhileNeeded() }
    return true
  }

  private func sendWhileNeeded() throws(Failure) {
    let lines = WatchLines(console: context.console)
    // One for the whole run: after an attempt that it could not note, it tries no more.
    let fallback = FallbackSender(home) { lines.tell($0) }
    defer {
      fallback.stop()
      lines.finish()
    }
    while !stop.isMade, isNeeded {
      if let store = open() {
        if try send(store, fallback, lines) { return }
      } else {
        // What is outside the store is sent without it.
        fallback.start()
      }
      stop.wait(milliseconds: Self.reopeningMilliseconds)
    }
  }

  /// Nil if it cannot be opened now: that is tried again.
  private func open() -> LocalStore? {
    guard let store = try? LocalStore.open(home, at: DeviceClock.now()) else { return nil }
    context.tellReport(of: store)
    return store
  }

  /// False if the worker could not go on, as on a machine that has no thread left for it: nobody restarts this process, so it tries again
  /// for an hour.
  private func send(
    _ store: LocalStore, _ fallback: FallbackSender, _ lines: WatchLines
  ) throws(Failure) -> Bool {
    var options = SyncWorkerOptions.live
    options.notice = { notice in
      fallback.note(notice)
      lines.tell(notice)
    }
    let worker = SyncWorker(store: store, options: options)
    let narrator = WatchNarrator(
      store: store, reports: context.reports, lines: lines, lookMilliseconds: Self.lookMilliseconds
    ) { [home] in
      if !Self.isNeeded(store, home) { worker.stop() }
    }
    stop.whenMade { worker.stop() }
    narrator.start()
    defer {
      narrator.stop()
      store.close()
    }
    do throws(SyncWorkerError) { _ = try worker.run() } catch {
      workerFailures += 1
      guard workerFailures <= Self.mostFailures else { throw Failure(error) }
      return false
    }
    return true
  }

  /// Whether there is anything to do. Without a store, what is in memory counts.
  private var isNeeded: Bool {
    guard access(home.path, F_OK) == 0 else { return false }
    do throws(LocalStoreError) {
      let store = try LocalStore.open(home, at: DeviceClock.now())
      defer { store.close() }
      failures = 0
      return try store.needsSender()
    } catch {
      failures += 1
      if access(home.databasePath, F_OK) == 0, failures <= Self.mostFailures { return true }
      return EmergencyAccess.unsentCount(home, at: DeviceClock.now()) > 0
    }
  }

  /// A store that cannot be read now is read at its next change.
  private static func isNeeded(_ store: LocalStore, _ home: HomeDirectory) -> Bool {
    access(home.path, F_OK) == 0 && (try? store.needsSender()) ?? true
  }
}
