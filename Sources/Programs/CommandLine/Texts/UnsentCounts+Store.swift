import LocalStore

extension UnsentCounts {
  /// What waits in the store, without what the server refused.
  static func waiting(in store: LocalStore) throws(LocalStoreError) -> UnsentCounts {
    UnsentCounts(try store.queue().filter { $0.parked == nil })
  }

  /// What the server refused.
  static func refused(in store: LocalStore) throws(LocalStoreError) -> UnsentCounts {
    UnsentCounts(try store.queue().filter { $0.parked != nil })
  }
}
