import DeviceCore
import LocalStore

/// Whether what is saved here can be sent.
enum SendingOutlook {
  /// Nobody is signed in.
  case notSignedIn
  case noServer
  /// By the session, or by the alert key if the session has expired: the key sends only alerts.
  case possible(isExpired: Bool)

  /// Examines the store and the configuration. If either cannot be read, sending is possible: the attempt says what fails.
  static func of(_ store: LocalStore) -> SendingOutlook {
    let session: Session?
    do throws(LocalStoreError) {
      session = try store.session()
    } catch {
      return .possible(isExpired: false)
    }
    guard let session else { return .notSignedIn }
    // Unreadable is not the same as not set.
    if let configuration = try? Configuration.load(store.home), configuration.endpoint == nil { return .noServer }
    return .possible(isExpired: session.isExpired)
  }

  /// Says when the server hears of a queued change that is not an alert.
  static func routine(_ store: LocalStore) -> String {
    switch of(store) {
    case .notSignedIn: return SyncTexts.routineSignIn
    case .noServer: return SyncTexts.routineServer
    case .possible(isExpired: true): return SyncTexts.routineExpired
    case .possible(isExpired: false):
      // Best effort: a lease that cannot be examined counts as free, and the advice then does no harm.
      guard let health = try? SenderHealth.examine(store.home), health != .absent else {
        return (try? store.status().alert?.isActive) == true
          ? SyncTexts.routineDuringAlert : SyncTexts.routineLater
      }
      if let standstill = health.standstill {
        return SyncTexts.routineStandstill(standstill)
      }
      guard (try? store.status().sync.lastError) == String?.none else {
        return SyncTexts.routineOffline
      }
      return SyncTexts.routineSending
    }
  }
}
