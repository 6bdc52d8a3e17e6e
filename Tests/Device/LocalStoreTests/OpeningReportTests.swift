import Testing

@testable import LocalStore

@Suite struct `The report of an opening` {
  @Test func `has no lines for a sound store`() {
    #expect(OpeningReport().messages.isEmpty)
    #expect(OpeningReport().spoolObstacle == nil)
  }

  @Test func `names the folder of a damaged store, and counts what was recovered`() {
    var report = OpeningReport()
    report.setAsidePath = "/home/damaged-1"
    report.salvaged = OpeningReport.Salvaged(alerts: 1, contacts: 2, queued: 3, unreadableRows: 4, session: true)
    let lines = report.messages
    #expect(lines.contains { $0.contains("/home/damaged-1") })
    for part in ["1 alert,", "2 contacts,", "3 unsent items", "4 entries"] {
      #expect(lines.contains { $0.contains(part) }, "\(part): \(lines)")
    }
  }

  @Test func `has one line for each finding`() {
    var report = OpeningReport()
    report.hasRepairedSchema = true
    report.spooledAlerts = []
    report.unreadableSpoolFiles = 1
    report.spoolRemovalError = "reason"
    report.tightenedPermissions = true
    #expect(report.messages.count == 4)
    #expect(report.spoolObstacle?.contains("reason") == true)
  }
}
