import Model
import TestSupport
import Testing
import Wire

@testable import ServerCore

/// Tests an account with very many alerts.
@Suite(.enabled(if: !ThreadSanitizer.isOn, "it measures time, on one thread"))
struct `A long history` {
  private static let alertCount = 20_000
  private let server: AlertsServer
  private let long: AlertsDevice
  private let short: AlertsDevice

  init() throws {
    server = try AlertsServer()
    long = try server.signIn("+12025550123")
    short = try server.signIn("+12025550124")
    try server.store.write { [server, long] transaction in
      var writes = WriteSet(account: long.account)
      for ordinal in 1...Self.alertCount {
        let alert = Alert(
          id: AlertsDevice.identifier(), startedAt: server.now, endedAt: server.now, message: nil, location: nil,
          isDrill: false)
        let record = AlertRecord(
          alert: alert, ordinal: Int64(ordinal), receivedAt: server.now, endReceivedAt: server.now)
        writes.newAlerts.append(
          StoredAlert(account: long.account, record: record, device: long.id, utcOffsetMinutes: nil))
      }
      writes.position = LogPosition(newestOrdinal: Int64(Self.alertCount))
      try transaction.apply(writes)
    }
  }

  /// The shortest time of several runs, since other work on the machine only makes a run longer.
  private func shortest(_ work: () throws -> Void) rethrows -> Duration {
    var shortest = Duration.seconds(1000)
    for _ in 0..<30 { shortest = min(shortest, try ContinuousClock().measure(work)) }
    return shortest
  }

  /// Reads the facts of an exchange without items.
  private func lookAtActiveAlerts(of account: AccountID) throws {
    var needs = FactNeeds()
    needs.activeAlerts = 100
    try server.store.read { transaction in
      var facts = AccountFacts()
      try transaction.addFacts(needs, of: account, to: &facts)
    }
  }

  @Test func `it slows down neither the query of active alerts nor a page of a list`() throws {
    let slow = try shortest { try lookAtActiveAlerts(of: long.account) }
    let quick = try shortest { try lookAtActiveAlerts(of: short.account) }
    #expect(slow < quick * 10)
    let page = shortest { _ = long.get(Route.alerts, ["limit": "1"]) }
    let responding = shortest { _ = long.get(Route.alerts, ["limit": "1", "responding": "true"]) }
    #expect(responding < page * 10)
    let deep = "\(server.now.milliseconds).\(AlertID(versionSevenAt: server.now, random: (1, 1)))"
    let later = shortest { _ = long.get(Route.alerts, ["limit": "1", "responding": "true", "before": deep]) }
    #expect(later < page * 10)
  }
}
