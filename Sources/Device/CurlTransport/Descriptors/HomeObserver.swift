import LocalStore

/// Tells of changes in the home: by a watcher, or where the system has none to give (a user's inotify instances may be
/// used up) by a look every two seconds, until it has. Whoever holds the lease must hear of an alert.
final class HomeObserver {
  static let lookMilliseconds: Int64 = 2000

  private let makeWatcher: () throws(SyncWorkerError) -> HomeWatcher
  private var watcher: HomeWatcher?
  private let timer: WakeTimer

  init(_ home: HomeDirectory, _ options: SyncWorkerOptions) throws(SyncWorkerError) {
    makeWatcher = { () throws(SyncWorkerError) in try options.watchHome(home) }
    timer = try WakeTimer()
    do throws(SyncWorkerError) {
      watcher = try makeWatcher()
    } catch {
      options.notice(.homeNotWatched(error))
      try timer.set(millisecondsFromNow: Self.lookMilliseconds)
    }
  }

  /// Whether every change is seen; else it is only known that there may have been one.
  var isWatching: Bool { watcher != nil }

  /// Readable when there is something to drain.
  var number: Int32 { watcher?.number ?? timer.number }

  /// What happened since the last call. Where that is not seen, nothing, and it tries again to watch.
  func drain() throws(SyncWorkerError) -> HomeWatcher.Changes {
    if let watcher { return watcher.drain() }
    timer.drain()
    do throws(SyncWorkerError) {
      watcher = try makeWatcher()
      // From before it watched.
      return [.work, .configuration, .question, .write]
    } catch {
      try timer.set(millisecondsFromNow: Self.lookMilliseconds)
      return []
    }
  }
}
