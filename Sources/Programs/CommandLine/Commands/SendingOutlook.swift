import DeviceCore
import LocalStore

/// Whether what is saved here can be sent at all, and by whom.
enum SendingOutlook {
  /// Nobody is signed in.
  case notSignedIn
  case noServer
  /// By the session, or where that has expired by the alert key: that is good for alerts alone.
  case possible(isExpired: Bool)

  /// A store or a configuration that cannot be read is no reason not to try: whoever tries says what fails.
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

  /// When the server hears of something that was queued and is no alert.
  static func routine(_ store: LocalStore) -> String {
    switch of(store) {
    case .notSignedIn: return "The server hears of it when you have signed in. " + Advice.signIn
    case .noServer: return "The server hears of it when one is set. " + Advice.endpoint
    case .possible(isExpired: true): return "The session has expired. " + Advice.signIn
    case .possible(isExpired: false):
      // Best effort: a lease that cannot be looked at is said to be free, and the advice then does no harm.
      guard let health = try? SenderHealth.examine(store.home), health != .absent else {
        return (try? store.status().alert?.isActive) == true
          ? "An alert is active, and the server does NOT know of this yet. Tell it now: lifesignal sync"
          : "The server hears of it with the next alert, or by: lifesignal sync"
      }
      if let standstill = health.standstill {
        return "Not sent: \(standstill). End that process, then: lifesignal sync"
      }
      guard (try? store.status().sync.lastError) == String?.none else {
        return "The background worker sends it as soon as the server can be reached."
      }
      return "Sending it now."
    }
  }
}
