package import Model

/// The last resort when the store cannot be opened or written: one plain file per alert, which the next opening takes in.
package enum Spool {
  /// Writes the alert and syncs the file and its folder. Returns when it is durable.
  package static func write(
    _ draft: AlertDraft, home: HomeDirectory, random: @Sendable () -> (UInt64, UInt64), at moment: Moment
  ) throws(LocalStoreError) -> Alert { fatalError("not yet") }
}
