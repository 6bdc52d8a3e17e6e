package import Model

/// What a call for help said, and when: by the device's clock, or when it was received if that clock is fast.
package struct SaidWords: Sendable, Hashable {
  /// How many of an alert's further calls a page lists.
  static let limit = 20
  /// How many are fetched: one more tells that there are more.
  package static let factLimit = limit + 1

  package var at: Timestamp
  package var message: String

  package init(at time: Timestamp, message: String) {
    at = time
    self.message = message
  }
}

extension StoredAlert {
  /// The words of the alert's calls, newest first, the first call's last; and whether `words` has more than are listed. Words that were said
  /// several times in a row are listed once, with the newest time.
  ///
  /// - Parameter words: of the further calls, newest first.
  func said(_ words: [SaidWords]) -> (words: [SaidWords], hasMore: Bool) {
    var all = Array(words.prefix(SaidWords.limit))
    // A newest update that is no call has no row among the calls.
    if let newest = record.newestUpdate?.update, let message = newest.message,
      all.first?.message != message
    {
      all.insert(SaidWords(at: newest.at, message: message), at: 0)
    }
    if let message = told.message { all.append(SaidWords(at: told.startedAt, message: message)) }
    let listed = all.reduce(into: [SaidWords]()) { listed, said in
      if listed.last?.message != said.message { listed.append(said) }
    }
    return (listed, words.count > SaidWords.limit)
  }
}
