import LocalStore

extension LifeSignalClient {
  /// The newest `limit` alerts as the features have them.
  func alertRecords(limit: Int) async throws(LifeSignalError) -> [AlertRecord] {
    try await withStore { store throws(LocalStoreError) in
      let userId = try store.session()?.accountID.description ?? ""
      return try store.history(limit: limit, before: nil).entries.map { AlertRecord($0, userId: userId) }
    }
  }
}

extension AlertRecord {
  /// All alerts of a device are of the account that is signed in, or of nobody.
  fileprivate init(_ entry: HistoryEntry, userId: String) {
    self.init(
      id: entry.alert.id, startTime: entry.alert.startedAt.date, endTime: entry.alert.endedAt?.date, userId: userId,
      isActive: entry.alert.isActive && !entry.isDiscarded, stage: entry.stage, isDiscarded: entry.isDiscarded,
      isDrill: entry.alert.isDrill)
  }
}
