import LocalStore

extension LifeSignalClient {
  /// The newest `limit` alerts as the features have them.
  func alertRecords(limit: Int) async throws(LifeSignalError) -> [AlertRecord] {
    try await run(on: storeQueue) { [self] in
      Result { () throws(LocalStoreError) in
        let entries = try readHistory(limit: limit)
        // Where the store cannot be read, nobody knows whose they are.
        let userId = (try? store().session()?.accountID.description) ?? ""
        return entries.map { AlertRecord($0, userId: userId) }
      }.mapError { LifeSignalError($0) }
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
