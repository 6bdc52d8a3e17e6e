import CurlTransport
import DeviceCore
import LocalStore

/// One exchange with the server on behalf of an answer, for a limited time.
struct InboxExchange {
  static let limitMilliseconds: Int64 = 10_000

  let store: LocalStore
  let context: Context

  /// Why nothing can be exchanged, and what to do about it; nil if it can be tried.
  var obstacle: String? {
    switch SendingOutlook.of(store) {
    case .notSignedIn: SyncTexts.routineSignIn
    case .noServer: SyncTexts.routineServer
    case .possible(isExpired: true): SyncTexts.routineExpired
    case .possible(isExpired: false): nil
    }
  }

  /// Sends what waits and fetches what is new; gives why that cannot be, as a sentence without a full stop.
  func run() -> String? {
    do throws(SyncWorkerError) {
      let before = try? store.status().sync
      switch try SyncWorker.runOnce(store: store, deadlineMilliseconds: Self.limitMilliseconds) {
      case .done(let report): return report.error?.message
      case .handedOver:
        guard let before else { return nil }
        return (try? HandedOverSync(store: store, before: before).waitAndFetch(context))?.error?.message
      }
    } catch {
      return error.message
    }
  }

  /// Fetches what is new. Whether the inbox is as the server has it now.
  func fetch() -> Bool {
    guard obstacle == nil, let before = try? store.status().sync, run() == nil, let now = try? store.status().sync
    else { return false }
    if now.lastSuccessAt != before.lastSuccessAt { return true }
    return now.lastError == nil && (try? SenderHealth.examine(store.home)) == .moving
  }
}
