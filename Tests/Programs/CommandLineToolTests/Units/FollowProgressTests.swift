import Model
import Testing

@testable import CommandLineTool
@testable import LocalStore

@Suite struct `What is told of an alert that is followed` {
  private static let start = Timestamp(milliseconds: 1_795_000_000_000)

  private func receipt(
    _ number: Int, _ channel: Channel.Kind, _ state: DeliveryState, reason: String? = nil, contact: Int = 3
  ) throws -> Receipt {
    Receipt(
      id: try #require(ReceiptID("01975000-0000-7000-8000-00000000010\(number)")),
      alertID: try #require(AlertID("01975000-0000-7000-8000-000000000001")),
      contactID: try #require(ContactID("01975000-0000-7000-8000-00000000000\(contact)")), contactName: "Ana",
      notice: .activated, channel: channel, state: state, at: Self.start, reason: reason)
  }

  private func status(
    _ receipts: [Receipt] = [], heardAt: Int64? = nil, error: String? = nil, next: Int64? = nil, ended: Bool = false
  ) throws -> AlertStatus {
    AlertStatus(
      alert: Alert(
        id: try #require(AlertID("01975000-0000-7000-8000-000000000001")), startedAt: Self.start,
        endedAt: ended ? Self.start : nil),
      stage: .accepted, acceptedAt: Self.start, responders: receipts, safeReceipts: [],
      sync: SyncOverview(
        pending: 0, parked: 0, lastSuccessAt: heardAt.map(at), nextAttemptAt: next.map(at), lastError: error,
        signedIn: true))
  }

  private func at(_ milliseconds: Int64) -> Timestamp { Self.start.advanced(byMilliseconds: milliseconds) }

  @Test func `an answer is one event, on however many channels the person was told`() throws {
    let sent = try [receipt(1, .webhook, .sent), receipt(2, .sms, .sent)]
    var progress = FollowProgress(try status(sent, heardAt: 0), now: 0)
    let answered = try [receipt(1, .webhook, .acknowledged), receipt(2, .sms, .acknowledged)]
    let events = progress.take(try status(answered, heardAt: 1), now: 1)
    #expect(events == [.receipt(answered[0])] && events[0].isAnswer)
    #expect(progress.take(try status(answered, heardAt: 2), now: 2).isEmpty)
    let later = answered + [try receipt(3, .ntfy, .acknowledged)]
    #expect(progress.take(try status(later, heardAt: 3), now: 3).isEmpty)
    let declined = try [receipt(1, .webhook, .seen, reason: "no"), receipt(2, .sms, .seen, reason: "no")]
    #expect(progress.take(try status(declined, heardAt: 4), now: 4).count == 1)
    let another = declined + [try receipt(4, .webhook, .acknowledged, contact: 5)]
    #expect(progress.take(try status(another, heardAt: 5), now: 5).count == 1)
  }

  @Test func `an error is one event, however often it is retried`() throws {
    var progress = FollowProgress(try status(heardAt: 0), now: 0)
    #expect(progress.take(try status(heardAt: 0, error: "no route", next: 9), now: 1).count == 1)
    #expect(progress.take(try status(heardAt: 0, error: "no route", next: 99), now: 2).isEmpty)
    #expect(progress.take(try status(heardAt: 0, error: "refused", next: 100), now: 3).count == 1)
    #expect(progress.take(try status(heardAt: 4), now: 4) == [.connected(at(4))])
  }

  @Test func `a silence of 90 s is told once, and its end`() throws {
    var progress = FollowProgress(try status(heardAt: 0), now: 0)
    #expect(progress.millisecondsToSilence(now: 30_000) == 60_000)
    #expect(progress.take(try status(heardAt: 0), now: 89_999).isEmpty)
    #expect(progress.take(try status(heardAt: 0), now: 90_000) == [.silent(since: at(0))])
    #expect(progress.millisecondsToSilence(now: 90_000) == nil)
    #expect(progress.take(try status(heardAt: 0), now: 120_000).isEmpty)
    #expect(progress.take(try status(heardAt: 120_001), now: 120_002) == [.heardAgain])
  }

  @Test func `a server that was never heard is silent 90 s after the start`() throws {
    var progress = FollowProgress(try status(), now: 500)
    #expect(progress.millisecondsToSilence(now: 500) == 90_000)
    #expect(progress.take(try status(), now: 90_500) == [.silent(since: nil)])
  }

  @Test func `a silence is as long as it is, whatever the clock is set to`() throws {
    var progress = FollowProgress(try status(heardAt: 0), now: 0)
    #expect(progress.take(try status(heardAt: -3_600_000), now: 60_000).isEmpty, "heard, by a clock that was set back")
    #expect(progress.take(try status(heardAt: -3_600_000), now: 149_999).isEmpty)
    #expect(progress.take(try status(heardAt: -3_600_000), now: 150_000) == [.silent(since: at(-3_600_000))])
  }

  @Test func `the end of the alert is told, and no silence after it`() throws {
    var progress = FollowProgress(try status(heardAt: 0), now: 0)
    let ended = try status(heardAt: 0, ended: true)
    #expect(progress.take(ended, now: 200_000) == [.ended(try #require(ended.alert))])
  }
}
