/// What opening a store did to its tables.
package enum SchemaUpdate: Sendable, Hashable {
  /// They were those of this program, or of a newer one that it may share them with.
  case none
  /// There were none.
  case made
  /// They were those of an earlier version.
  case updated

  /// - Parameters:
  ///   - before: how many migrations had been applied.
  ///   - newest: how many this program knows.
  package init(from before: Int, to newest: Int) { self = before >= newest ? .none : before == 0 ? .made : .updated }
}
