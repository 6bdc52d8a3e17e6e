import DeviceCore
import LocalStore

/// Waits for changes of a store, and a few times more after each: the system tells of a commit's bytes before they are synced, and readers see
/// them after that, on a slow disk long after.
struct SettlingWatch {
  private let watcher: StoreWatcher
  /// The waits after which the store is read once more, since something happened in its folder.
  private var settling: ArraySlice<Int64> = []

  private static let settlingMilliseconds: [Int64] = [250, 1750, 10_000]

  init(_ watcher: StoreWatcher) { self.watcher = watcher }

  /// Until something changed, the wait after a change or the time is over, or the watcher was interrupted.
  mutating func wait(milliseconds: Int64?) -> StoreWatcher.Event {
    let limit = settling.first.map { min($0, milliseconds ?? .max) } ?? milliseconds
    let event = watcher.wait(milliseconds: limit)
    settling = event == .changed ? Self.settlingMilliseconds[...] : settling.dropFirst()
    return event
  }
}
