import LocalStore
import SystemKit

/// What a command has reported about the stores that it opened. Damage and the spool may come up long after the opening; each is
/// reported once.
final class StoreReports: Sendable {
  private struct Told {
    let store: LocalStore
    var messages: Set<String>
  }

  private let told = Lock<[Told]>([])

  /// The messages of the store's report that are new. They count as reported from now on.
  func news(of store: LocalStore) -> [String] {
    let messages = store.report.messages
    return told.withLock { told in
      let index = told.firstIndex { $0.store === store } ?? told.endIndex
      if index == told.endIndex { told.append(Told(store: store, messages: [])) }
      return messages.filter { told[index].messages.insert($0).inserted }
    }
  }

  /// The same for all stores so far.
  func news() -> [String] {
    told.withLock { $0.map(\.store) }.flatMap { news(of: $0) }
  }
}
