import DeviceCore
import LocalStore
import SyncEngine

/// Why nothing new comes into the inbox that is watched.
struct InboxStanding: Equatable {
  /// As a part of a sentence.
  let reason: String
  /// As the JSON of `disconnected` has it.
  let kind: String?
  /// What to do about it; nil where it is tried again by itself.
  let advice: String?

  private init(_ reason: String, _ kind: SyncFailure.Kind?, advice: String? = nil) {
    self.reason = reason
    self.kind = kind?.rawValue
    self.advice = advice
  }

  /// Nil if all comes in, as far as known. `isFetching`: whether the command itself fetches.
  init?(_ sync: SyncOverview, _ outlook: SendingOutlook, _ health: SenderHealth?, isFetching: Bool) {
    if case .noServer = outlook {
      self.init(InboxTexts.noServer, .notConfigured, advice: Advice.endpoint)
    } else if sync.isSessionExpired {
      self.init(SyncTexts.sessionExpired, .unauthorized, advice: Advice.signInAgain)
    } else if let standstill = health?.standstill {
      self.init(standstill, .timeout)
    } else if let error = sync.lastError {
      self.init(error, sync.lastErrorKind.flatMap { SyncFailure.Kind(rawValue: $0) })
    } else if !isFetching, health == .absent {
      self.init(InboxTexts.nothingFetches, nil, advice: InboxTexts.toFetch)
    } else {
      return nil
    }
  }
}
