package import Model

/// What opening the store found, for the person.
package struct OpeningReport: Hashable, Sendable {
  /// The folder into which a damaged store was moved; nil if it was sound.
  package var setAsidePath: String?
  /// The store's schema was damaged, and was repaired in place.
  package var hasRepairedSchema = false
  /// What was salvaged from the damaged store.
  package var salvaged: Salvaged?
  /// Alerts that were imported from the spool.
  package var spooledAlerts: [AlertID] = []
  /// The number of spool files that cannot be read; they stay.
  package var unreadableSpoolFiles = 0
  /// Why the spool could not be imported; its files stay.
  package var spoolError: String?
  /// Why the files of imported alerts could not be removed.
  package var spoolRemovalError: String?
  /// Other users could read the folder; now they cannot.
  package var tightenedPermissions = false

  package struct Salvaged: Hashable, Sendable {
    package var alerts = 0
    package var contacts = 0
    /// Queued mutations and notification requests.
    package var queued = 0
    /// Rows that cannot be read: left out, or parked if they were queued.
    package var unreadableRows = 0
    /// Whether the sign-in was salvaged.
    package var session = false
    /// Tables that could not be read completely: something may be missing.
    package var incompleteTables: [String] = []
  }

  package init() {}

  /// Why the spool is not empty, as of the last import.
  var spoolObstacle: String? {
    if let spoolError { return "a saved alert could not be imported, and is NOT sent: \(spoolError)" }
    if let spoolRemovalError {
      return "another account could get an alert whose file cannot be removed: \(spoolRemovalError)"
    }
    guard unreadableSpoolFiles > 0 else { return nil }
    return "an unreadable file in \"spool\" may be an alert: repair it or move it"
  }

  /// Lines for a person; empty if there is nothing to tell.
  package var messages: [String] {
    var lines: [String] = []
    if let spoolError { lines.append("NOT SENT: a saved alert could not be imported: \(spoolError)") }
    if let setAsidePath {
      lines.append("The saved data was damaged. It is kept in \(setAsidePath)")
    }
    if hasRepairedSchema, setAsidePath == nil {
      lines.append("The saved data was damaged, and was repaired. Nothing was lost.")
    }
    if let salvaged { lines += salvaged.messages }
    if !spooledAlerts.isEmpty { lines.append("\(count(spooledAlerts.count, "alert")) recovered.") }
    if let spoolRemovalError {
      lines.append("The file of a recovered alert cannot be removed: \(spoolRemovalError)")
    }
    if unreadableSpoolFiles > 0 {
      lines.append("\(count(unreadableSpoolFiles, "file")) in the folder \"spool\" cannot be read, and may be alerts.")
    }
    if tightenedPermissions { lines.append("Other users could read your data here. They no longer can.") }
    return lines
  }
}

extension OpeningReport.Salvaged {
  var messages: [String] {
    var lines = [
      "Recovered: \(count(alerts, "alert")), \(count(contacts, "contact")), \(count(queued, "unsent item"))."
    ]
    if unreadableRows > 0 { lines.append("\(count(unreadableRows, "entry", "entries")) could not be read.") }
    if !session { lines.append("The sign-in could not be recovered: sign in again.") }
    if !incompleteTables.isEmpty {
      lines.append("Something may be missing from: \(incompleteTables.joined(separator: ", "))")
    }
    return lines
  }
}

private func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
  "\(number) \(number == 1 ? one : many ?? one + "s")"
}
