import CurlTransport
import DeviceCore
import LocalStore

/// Waits for changes of the store on behalf of a command that shows them, and sends and fetches meanwhile.
///
/// It works like a worker, and stands by where another process does. It waits for changes of the store, so the command shows what that
/// process fetched just as soon.
final class StoreFollower {
  private let store: LocalStore
  private let context: Context
  private let stop: StopRequest
  private let watcher: StoreWatcher?
  private var watch: SettlingWatch?
  private let end = WorkerEnd()
  private var worker: SyncWorker?
  private var hasToldOfWorker = false

  /// How often it looks where the system has no watch left to tell it.
  private static let unwatchedMilliseconds = 500

  init(_ store: LocalStore, _ context: Context, _ stop: StopRequest) {
    self.store = store
    self.context = context
    self.stop = stop
    watcher = StoreWatcher(store.home)
    watch = watcher.map { SettlingWatch($0) }
  }

  /// Begins to send and fetch on a thread of its own, unless only the changes are wanted. What cannot be started is said.
  func start(isSending: Bool) {
    worker = isSending ? startWorker() : nil
    stop.whenMade { [watcher] in watcher?.interrupt() }
  }

  private func startWorker() -> SyncWorker? {
    var options = SyncWorkerOptions.live
    options.notice = { [end, watcher] notice in
      end.note(notice)
      watcher?.interrupt()
    }
    let worker = SyncWorker(store: store, options: options)
    do throws(SyncWorkerError) {
      try worker.start { [end, watcher] result in
        end.set(result)
        watcher?.interrupt()
      }
      return worker
    } catch {
      context.console.note(DeliveryTexts.cannotSend(Sentences.closed(error.message)))
      return nil
    }
  }

  /// Waits for a change or for the end of the time, after it has said what hinders the sending.
  func wait(milliseconds: Int64?) {
    tellNotices()
    if watch?.wait(milliseconds: milliseconds) == nil { stop.wait(milliseconds: Self.unwatchedMilliseconds) }
  }

  /// Says that another process holds the lease and stands still, and that this one cannot send.
  private func tellNotices() {
    for notice in end.takeNotices() where notice == .waitingForLease {
      guard let standstill = (try? SenderHealth.examine(store.home))?.standstill else { continue }
      context.console.note(DeliveryTexts.sendingWithout(Sentences.capitalized(standstill)))
      context.console.note(DeliveryTexts.nothingComesIn)
    }
    guard !hasToldOfWorker, case .failure(let error)? = end.outcome else { return }
    hasToldOfWorker = true
    context.console.note(DeliveryTexts.cannotSend(Sentences.closed(error.message)))
  }

  /// Stops sending, and waits for that for a moment.
  func finish() {
    guard let worker else { return }
    worker.stop()
    _ = end.wait(milliseconds: 2000)
  }
}
