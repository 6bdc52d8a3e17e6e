import LocalStore
import SystemKit

/// What a command has told of the stores that it opened: damage and the spool may come up long after the opening, and each thing
/// is told once.
final class StoreReports: Sendable {
  private struct Told {
    let store: LocalStore
    var messages: Set<String>
  }

  private let told = Lock<[Told]>([])

  /// What the store's report says and nobody was told. From now on it counts as told.
  func news(of store: LocalStore) -> [String] {
    let messages = store.report.messages
    return told.withLock { told in
      let index = told.firstIndex { $0.store === store } ?? told.endIndex
      if index == told.endIndex { told.append(Told(store: store, messages: [])) }
      return messages.filter { told[index].messages.insert($0).inserted }
    }
  }

  /// The same of all stores that news were asked of.
  func news() -> [String] {
    told.withLock { $0.map(\.store) }.flatMap { news(of: $0) }
  }
}
