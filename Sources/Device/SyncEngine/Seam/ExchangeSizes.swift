/// How much a routine exchange carries at most.
package struct ExchangeSizes: Hashable, Sendable {
  /// Queued items; and as many changes in the answer.
  package let items: Int
  /// Of the request's body.
  let bytes: Int
  /// An answer of so many items and changes takes longer to apply than an alert should wait.
  let longAnswer: Int

  package static let usual = Self(items: 500, bytes: 512 << 10, longAnswer: 64)

  /// For simulations, whose people queue few items at a time: what happens to long exchanges happens to theirs.
  package static func atMost(_ items: Int) -> Self {
    Self(items: items, bytes: max(2048, 1024 * items), longAnswer: min(items, usual.longAnswer))
  }
}
