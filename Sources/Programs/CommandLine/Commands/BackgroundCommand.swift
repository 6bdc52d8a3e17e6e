import CurlTransport
import DeviceCore
import Glibc
import LocalStore
import Model
import SystemKit

/// `sync --watch --while-needed`: the sender that goes on after the command that raised an alert has ended. It ends when nothing waits to
/// be sent and no alert is active, when the home is gone, and when another one is there.
struct BackgroundCommand {
  private let home: HomeDirectory
  private let context: Context
  private let stop: StopRequest

  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    guard let stop = StopRequest() else {
      throw Failure(SyncWorkerError(.system, AccountTexts.noSignals))
    }
    let home = try context.home()
    HomeOwner.remainOwner()
    return try Self(home: home, context: context, stop: stop).run()
  }

  /// How long it waits before it tries again to open a store that cannot be opened.
  private static let reopeningMilliseconds = 10_000

  private func run() throws(Failure) -> ExitStatus {
    while !stop.isMade {
      let lease = try context.attempt { () throws(LocalStoreError) in try BackgroundLease.acquire(home) }
      guard let lease else { return .done }
      try withExtendedLifetime(lease) { () throws(Failure) in try sendWhileNeeded() }
      // Released first: whoever raises an alert now starts another one, or this one sees the alert.
      guard isNeeded else { return .done }
    }
    return .done
  }

  private func sendWhileNeeded() throws(Failure) {
    let lines = WatchLines(console: context.console)
    // One for the whole run: after an attempt that it could not note, it tries no more.
    let fallback = FallbackSender(home) { lines.tell($0) }
    defer {
      fallback?.stop()
      lines.finish()
    }
    while !stop.isMade, isNeeded {
      if let store = open() { return try send(store, fallback, lines) }
      // What is outside the store is sent without it.
      fallback?.start()
      stop.wait(milliseconds: Self.reopeningMilliseconds)
    }
  }

  /// Nil if it cannot be opened now: that is tried again.
  private func open() -> LocalStore? {
    guard let store = try? LocalStore.open(home, at: DeviceClock.now()) else { return nil }
    context.tellReport(of: store)
    return store
  }

  private func send(_ store: LocalStore, _ fallback: FallbackSender?, _ lines: WatchLines) throws(Failure) {
    var options = SyncWorkerOptions.live
    options.notice = { notice in
      switch notice {
      case .started: fallback?.start()
      case .storeFailed: fallback?.look()
      default: break
      }
      lines.tell(notice)
    }
    let worker = SyncWorker(store: store, options: options)
    let narrator = WatchNarrator(store: store, reports: context.reports, lines: lines) { [home] in
      if !Self.isNeeded(store, home) { worker.stop() }
    }
    stop.whenMade { worker.stop() }
    narrator.start()
    defer {
      narrator.stop()
      store.close()
    }
    do throws(SyncWorkerError) { _ = try worker.run() } catch { throw Failure(error) }
  }

  /// Whether there is anything to do. A store that cannot be opened may hold an alert; without one, what is in memory counts.
  private var isNeeded: Bool {
    guard access(home.path, F_OK) == 0 else { return false }
    do throws(LocalStoreError) {
      let store = try LocalStore.open(home, at: DeviceClock.now())
      defer { store.close() }
      return try store.needsSender()
    } catch {
      return EmergencyAccess.unsentCount(home, at: DeviceClock.now()) > 0
    }
  }

  /// A store that cannot be read now is read at its next change.
  private static func isNeeded(_ store: LocalStore, _ home: HomeDirectory) -> Bool {
    access(home.path, F_OK) == 0 && (try? store.needsSender()) ?? true
  }
}
