import Model
import ServerCore

extension StoreContract {
  static let askingClauses: [Clause] = [
    Clause("gives back where the asking about an alert stands, and finds what is due") { bench in
      try bench.addAccounts()
      var alerts = (11...14).map { bench.alert($0) }
      for place in alerts.indices { alerts[place].notifiedAt = Bench.now }
      alerts[0].asking = Asking(phase: .asking, round: 3, tier: 2, dueAt: bench.after(seconds: 60))
      alerts[1].asking = Asking(phase: .answered, round: 0, tier: 1, dueAt: bench.after(seconds: 30))
      alerts[2].asking = Asking(phase: .over, round: 16, tier: 9, dueAt: nil)
      try bench.write { $0.newAlerts = alerts }
      try bench.subject.reopen()
      let facts = try bench.facts { $0.alerts = Set(alerts.map(\.id)) }
      for alert in alerts { try expect(facts.alerts[alert.id], is: alert, "the alert") }
      let first = bench.after(seconds: 30)
      let times = try (
        bench.outlook(latest: bench.after(seconds: 60)).asking, bench.outlook(latest: bench.after(seconds: 59)).asking
      )
      try expect(times.0, is: DueTimes(first: first), "the first, and none too late")
      try expect(times.1, is: DueTimes(first: first, hasTooLate: true), "the last, a second too late")
      try expect(due(at: 29, bench), is: [], "before the first is due")
      try expect(due(at: 30, bench), is: [12], "the first")
      try expect(due(at: 60, bench), is: [12, 11], "both, the longest due first")
      try expect(due(at: 60, limit: 1, bench), is: [12], "no more than asked for")
      try expect(due(at: -3600, after: 40, bench), is: [11], "what a clock that was set back left behind")
      let asked = AccountAlert(account: bench.account, alert: alerts[1].id)
      try bench.store.write { try $0.postponeAsking(about: asked, to: bench.after(seconds: 90)) }
      try expect(due(at: 60, bench), is: [11], "without what was postponed")
    },
    Clause("forgets the asking about an alert that has ended") { bench in
      try bench.addAccounts()
      var alert = bench.alert(11)
      alert.notifiedAt = Bench.now
      alert.asking = Asking(phase: .checking, round: 1, tier: 1, dueAt: bench.after(seconds: 5))
      try bench.write { $0.newAlerts = [alert] }
      alert.asking = nil
      try bench.write { $0.changedAlerts = [alert] }
      try expect(try bench.facts { $0.alerts = [alert.id] }.alerts[alert.id], is: alert, "the alert")
      try expect(due(at: 60, bench), is: [], "what is due")
      try expect(try bench.outlook().asking.first, is: nil, "the first")
    },
    Clause("keeps messages beside the news apart from them, and their rounds") { bench in
      try bench.addAccounts()
      let news = try bench.delivery(31, about: 11, to: 21, state: .sent)
      var extras = try DeliveryRole.allCases.filter { $0 != .news }.enumerated().map { place, role in
        var extra = try bench.delivery(32 + place, about: 11, to: 21)
        extra.role = role
        extra.priority = .extra
        extra.round = place + 1
        return extra
      }
      try bench.write {
        $0.newAlerts = [bench.alert(11)]
        $0.newDeliveries = [news] + extras
      }
      extras[0].round = 7
      try bench.write { $0.changedDeliveries = [extras[0]] }
      let facts = try bench.facts { $0.deliveriesOfAlerts = [bench.identifier(11)] }
      for delivery in [news] + extras { try expect(facts.deliveries[delivery.id], is: delivery, "a delivery") }
    },
  ]

  private static func due(
    at seconds: Int64, after latest: Int64 = 3600, limit: Int = 9, _ bench: Bench
  ) throws -> [Int] {
    let due = try bench.store.read { transaction in
      try transaction.alertsToAskAbout(
        dueAt: bench.after(seconds: seconds), orAfter: bench.after(seconds: latest), limit: limit)
    }
    return due.compactMap { asked in
      asked.account == bench.account ? (11...14).first { bench.identifier($0) == asked.alert } : nil
    }
  }
}
