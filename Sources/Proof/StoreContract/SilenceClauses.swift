import Model
import ServerCore

extension StoreContract {
  static let silenceClauses: [Clause] = [
    Clause("gives back whether the device of an alert is silent, and finds whose is to be checked") { bench in
      try bench.addAccounts()
      var alerts = (11...13).map { bench.alert($0) }
      for place in alerts.indices { alerts[place].notifiedAt = Bench.now }
      alerts[0].silenceDueAt = bench.after(seconds: 60)
      alerts[1].silenceDueAt = bench.after(seconds: 30)
      alerts[2].silentSince = bench.after(seconds: -9)
      try bench.write { $0.newAlerts = alerts }
      try bench.subject.reopen()
      let facts = try bench.facts { $0.alerts = Set(alerts.map(\.id)) }
      for alert in alerts { try expect(facts.alerts[alert.id], is: alert, "the alert") }
      let first = bench.after(seconds: 30)
      let times = try (
        bench.outlook(latest: bench.after(seconds: 60)).silence, bench.outlook(latest: bench.after(seconds: 59)).silence
      )
      try expect(times.0, is: DueTimes(first: first), "the first, and none too late")
      try expect(times.1, is: DueTimes(first: first, hasTooLate: true), "the last, a second too late")
      try expect(due(at: 29, bench), is: [], "before the first is due")
      try expect(due(at: 30, bench), is: [12], "the first")
      try expect(due(at: 60, bench), is: [12, 11], "both, the longest due first")
      try expect(due(at: 60, limit: 1, bench), is: [12], "no more than asked for")
      try expect(due(at: -3600, after: 40, bench), is: [11], "what a clock that was set back left behind")
      try bench.store.write {
        try $0.endSilenceChecks(of: AccountAlert(account: bench.account, alert: alerts[1].id))
      }
      try expect(due(at: 60, bench), is: [11], "without what is checked no longer")
    },
    Clause("finds the alerts of which one device is silent, until it speaks") { bench in
      try bench.addAccounts()
      var alerts = [bench.alert(11), bench.alert(12), bench.alert(13), bench.alert(14, of: bench.other)]
      for place in alerts.indices {
        alerts[place].notifiedAt = Bench.now
        if place != 1 { alerts[place].silentSince = Bench.now }
      }
      alerts[2].device = bench.identifier(4)
      try bench.write { $0.newAlerts = Array(alerts.prefix(3)) }
      try bench.write(bench.other) { $0.newAlerts = [alerts[3]] }
      let found = try bench.facts { $0.silentAlerts = [bench.device] }
      try expect(found.silentAlerts, is: [alerts[0].id], "those of the device")
      try expect(found.alerts, is: [alerts[0].id: alerts[0]], "the alerts themselves")
      alerts[0].silentSince = nil
      alerts[0].silenceDueAt = bench.after(seconds: 90)
      try bench.write { $0.changedAlerts = [alerts[0]] }
      try expect(try bench.facts { $0.silentAlerts = [bench.device] }.silentAlerts, is: [], "after it spoke")
      try expect(due(at: 90, bench), is: [11], "what is checked next")
    },
  ]

  private static func due(
    at seconds: Int64, after latest: Int64 = 3600, limit: Int = 9, _ bench: Bench
  ) throws -> [Int] {
    let due = try bench.store.read { transaction in
      try transaction.alertsToCheckForSilence(
        dueAt: bench.after(seconds: seconds), orAfter: bench.after(seconds: latest), limit: limit)
    }
    return due.compactMap { checked in
      checked.account == bench.account ? (11...14).first { bench.identifier($0) == checked.alert } : nil
    }
  }
}
