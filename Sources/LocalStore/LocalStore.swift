package import Model

/// What opening the store found, to be told to the person.
package struct OpeningReport: Hashable, Sendable {
  /// The folder into which a damaged store was put; nil where it was well.
  package var setAsidePath: String?
  /// What was saved from the damaged store, by kind.
  package var salvaged: Salvaged?
  /// Alerts that the spool held and the store has now.
  package var spooledAlerts: [AlertID] = []
  /// Files of the spool that could not be read; they stay where they are.
  package var unreadableSpoolFiles = 0
  /// The folder was open to others, and is not any more.
  package var tightenedPermissions = false

  package struct Salvaged: Hashable, Sendable {
    package var alerts = 0
    package var contacts = 0
    /// Queued mutations and notification requests.
    package var queued = 0
    /// Whether the person is still signed in.
    package var session = false
    /// Tables that could not be read to their end: something may be missing.
    package var incompleteTables: [String] = []
  }

  /// Lines for a person; empty where there is nothing to tell.
  package var messages: [String] { [] }
}

/// The device's store: alerts, contacts, what is queued for the server, and how far they agree.
///
/// Several processes and threads may use one folder. Every function is one transaction, blocks the caller for as long as a
/// disk takes, and throws `LocalStoreError`. A function that returns has committed.
package final class LocalStore: Sendable {
  package let home: HomeDirectory

  private init(home: HomeDirectory) { self.home = home }

  /// Opens the folder's store, and makes both where they are missing. A damaged file is set aside first, what can be
  /// read of it is saved, and the spool is taken in; `report` tells.
  package static func open(
    _ home: HomeDirectory, options: StoreOptions = .live, at moment: Moment
  ) throws(LocalStoreError) -> LocalStore { fatalError("not yet") }

  package var report: OpeningReport { fatalError("not yet") }

  /// Closes the file; what is called later throws `cannotOpen`.
  package func close() { fatalError("not yet") }
}
