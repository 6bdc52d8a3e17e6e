package import Model

/// What opening the store found, to be told to the person.
package struct OpeningReport: Hashable, Sendable {
  /// The folder into which a damaged store was put; nil where it was well.
  package var setAsidePath: String?
  /// The store's schema was damaged, and is mended where it stands.
  package var hasMendedSchema = false
  /// What was saved from the damaged store, by kind.
  package var salvaged: Salvaged?
  /// Alerts that the spool held and the store has now.
  package var spooledAlerts: [AlertID] = []
  /// Files of the spool that could not be read; they stay where they are.
  package var unreadableSpoolFiles = 0
  /// The spool's alerts could not be taken in now, for this reason; they stay where they are.
  package var spoolError: String?
  /// Alerts of the spool are in the store, and their files could not be removed, for this reason.
  package var spoolRemovalError: String?
  /// The folder was open to others, and is not any more.
  package var tightenedPermissions = false

  package struct Salvaged: Hashable, Sendable {
    package var alerts = 0
    package var contacts = 0
    /// Queued mutations and notification requests.
    package var queued = 0
    /// Rows that say nothing any more: left out, or parked where they were queued.
    package var unreadableRows = 0
    /// Whether the person is still signed in.
    package var session = false
    /// Tables that could not be read to their end: something may be missing.
    package var incompleteTables: [String] = []
  }

  package init() {}

  /// Why the spool could not be emptied, as far as the last look at it tells.
  var spoolObstacle: String? {
    if let spoolError { return "an alert waits outside the store, NOT sent: \(spoolError)" }
    if let spoolRemovalError {
      return "an alert's file stays, and would become the alert of whoever signs in next: \(spoolRemovalError)"
    }
    guard unreadableSpoolFiles > 0 else { return nil }
    return "a file in the spool folder cannot be read, and may be an alert: see to it that it can be, or move it away"
  }

  /// Lines for a person; empty where there is nothing to tell.
  package var messages: [String] {
    var lines: [String] = []
    if let setAsidePath {
      lines.append("The store was damaged. It was set aside, not deleted: \(setAsidePath)")
    }
    if hasMendedSchema, setAsidePath == nil { lines.append("The store was damaged. It was mended where it stands.") }
    if let salvaged { lines += salvaged.messages }
    if !spooledAlerts.isEmpty {
      lines.append("Alerts that waited outside the store are in it now: \(spooledAlerts.count)")
    }
    if let spoolError { lines.append("Alerts wait outside the store: \(spoolError)") }
    if let spoolRemovalError {
      lines.append("An alert is in the store now, and its file outside of it stays: \(spoolRemovalError)")
    }
    if unreadableSpoolFiles > 0 {
      lines.append("Files in the spool folder that cannot be read: \(unreadableSpoolFiles)")
    }
    if tightenedPermissions {
      lines.append("The store's folder was open to other users of this machine. It no longer is.")
    }
    return lines
  }
}

extension OpeningReport.Salvaged {
  var messages: [String] {
    var lines = ["Saved from it: \(alerts) alerts, \(contacts) contacts, \(queued) queued items."]
    if unreadableRows > 0 { lines.append("Rows that could not be read: \(unreadableRows)") }
    if !session { lines.append("The sign-in was not saved: sign in again.") }
    if !incompleteTables.isEmpty {
      lines.append("Something may be missing from: \(incompleteTables.joined(separator: ", "))")
    }
    return lines
  }
}
