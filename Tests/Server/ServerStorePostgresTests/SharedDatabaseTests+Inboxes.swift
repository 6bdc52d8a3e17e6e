import Model
import PostgresKit
import PostgresTesting
import ServerCore
import Testing

@testable import ServerStorePostgres
@testable import StoreContract

// The queue of alerts that are to be written into inboxes.
extension SharedDatabaseTests {
  private func markForInboxes(_ alert: AlertID) throws {
    try first.write {
      try $0.notePosting(of: AccountAlert(account: bench.account, alert: alert), to: bench.other, stands: true)
      var set = WriteSet(account: bench.account)
      set.inboxDue = [alert]
      try $0.apply(set)
    }
  }

  /// As a program of another version does, whose number counts from 1 again.
  private func markBeneathTheFloor(_ alert: AlertID) throws {
    try subject.database.connection().execute(
      script: "INSERT INTO inbox_due VALUES ('\(bench.account)', '\(alert)', 1)")
  }

  /// The alerts that are found for inboxes; they are written into none.
  private func posted() throws -> [AlertID] {
    try first.write { transaction in
      let outlook = try transaction.outlook(at: Bench.now, latest: LatestTimes(Bench.endOfTime))
      let due = outlook.hasAlertsToPost ? try transaction.alertsToPost(limit: 9) : []
      for alert in due { try transaction.endPosting(of: alert) }
      return due.map(\.alert)
    }
  }

  @Test func `an alert that a program of another version marks for inboxes is found within ten seconds`() throws {
    let alerts: [AlertID] = [bench.identifier(21), bench.identifier(22)]
    for number in 11...13 { try queue(bench.delivery(number, about: 5, to: number), by: first) }
    try markForInboxes(alerts[0])
    #expect(try posted() == [alerts[0]])
    #expect(try posted() == [])
    try markBeneathTheFloor(alerts[1])
    #expect(try posted() == [])
    clock.advance(seconds: 10)
    #expect(try posted() == [alerts[1]])
    try markForInboxes(alerts[0])
    #expect(try posted() == [alerts[0]])
  }

  /// As it does where a snapshot has been held open for an hour: what was removed is still to be walked through.
  @Test func `a look at everything that takes long is made more seldom`() throws {
    let alert: AlertID = bench.identifier(21)
    for number in 11...13 { try queue(bench.delivery(number, about: 5, to: number), by: first) }
    clock.setStep(milliseconds: 200)
    #expect(try posted() == [])
    clock.setStep(milliseconds: 0)
    try markBeneathTheFloor(alert)
    clock.advance(seconds: 19)
    #expect(try posted() == [])
    clock.advance(seconds: 41)
    #expect(try posted() == [alert])
  }

  @Test(arguments: [(0, 10_000), (99, 10_000), (300, 30_000), (2000, 60_000)] as [(Int64, Int64)])
  func `a look at everything is due again after`(_ took: Int64, _ pause: Int64) {
    #expect(IndexFloors.pause(afterLook: took) == pause)
  }
}
