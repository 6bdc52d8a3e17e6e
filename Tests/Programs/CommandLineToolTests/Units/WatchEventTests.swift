import Model
import Testing

@testable import CommandLineTool
@testable import LocalStore

@Suite struct `What the worker tells` {
  private static let start = Timestamp(milliseconds: 1_795_000_000_000)
  private static let id = AlertID("01975000-0000-7000-8000-000000000001")

  private func status(
    ended: Bool = false, accepted: Bool = false, receipts: [Receipt] = [], error: String? = nil, success: Int64? = nil,
    next: Int64? = nil, parked: Int = 0
  ) throws -> AlertStatus {
    let alert = Alert(
      id: try #require(Self.id), startedAt: Self.start, endedAt: ended ? Self.start.advanced(byMilliseconds: 9) : nil)
    return AlertStatus(
      alert: alert, stage: accepted ? .accepted : .saved, acceptedAt: accepted ? Self.start : nil,
      responders: receipts, safeReceipts: [],
      sync: SyncOverview(
        pending: 0, parked: parked, lastSuccessAt: success.map(Timestamp.init(milliseconds:)),
        nextAttemptAt: next.map(Timestamp.init(milliseconds:)), lastError: error, lastErrorKind: nil, signedIn: true,
        serverOffsetMilliseconds: nil))
  }

  private func receipt(_ state: DeliveryState) throws -> Receipt {
    Receipt(
      id: try #require(ReceiptID("01975000-0000-7000-8000-000000000002")), alertID: try #require(Self.id),
      contactID: try #require(ContactID("01975000-0000-7000-8000-000000000003")), contactName: "Ana",
      notice: .activated, channel: .ntfy, state: state, at: Self.start, reason: nil)
  }

  @Test func `a first connection and one after a loss are reported, later exchanges are not`() throws {
    let silent = try status(accepted: true)
    let connected = try status(accepted: true, success: 1)
    let again = try status(accepted: true, success: 2)
    let lost = try status(accepted: true, error: "timed out", success: 2, next: 9)
    #expect(WatchEvent.between(silent, connected) == [.connected(Timestamp(milliseconds: 1))])
    #expect(WatchEvent.between(connected, again).isEmpty)
    #expect(
      WatchEvent.between(again, lost)
        == [.disconnected(reason: "timed out", kind: nil, nextAttemptAt: Timestamp(milliseconds: 9))])
    #expect(WatchEvent.between(lost, lost).isEmpty)
    #expect(
      WatchEvent.between(lost, try status(accepted: true, success: 3)) == [.connected(Timestamp(milliseconds: 3))])
  }

  @Test func `an alert's acceptance, its receipts and its end are reported once`() throws {
    let saved = try status(), accepted = try status(accepted: true)
    let alert = try #require(saved.alert)
    #expect(WatchEvent.between(nil, saved) == [.raised(alert)])
    #expect(WatchEvent.between(saved, accepted) == [.accepted(alert, at: Self.start)])
    let queued = try status(accepted: true, receipts: [receipt(.queued)])
    let sent = try status(accepted: true, receipts: [receipt(.sent)])
    #expect(WatchEvent.between(accepted, queued) == [.receipt(try receipt(.queued))])
    #expect(WatchEvent.between(queued, sent) == [.receipt(try receipt(.sent))])
    #expect(WatchEvent.between(sent, sent).isEmpty)
    let ended = try status(ended: true, accepted: true, receipts: [receipt(.sent)])
    #expect(WatchEvent.between(sent, ended) == [.ended(try #require(ended.alert))])
    #expect(WatchEvent.between(nil, ended).isEmpty)
  }

  @Test func `another active alert is reported, with the answers to it, and its end`() throws {
    let other = Alert(
      id: try #require(AlertID("01975000-0000-7000-8000-000000000004")), startedAt: Self.start, message: "there")
    let alone = try status(accepted: true)
    var both = alone
    both.otherActive = [OtherActiveAlert(other)]
    #expect(WatchEvent.between(alone, both) == [.raised(other)])
    var answered = both
    answered.responders = [try receipt(.acknowledged)]
    #expect(WatchEvent.between(both, answered) == [.receipt(try receipt(.acknowledged))])
    var left = answered
    left.alert = other
    left.otherActive = []
    #expect(WatchEvent.between(answered, left) == [.ended(try #require(alone.alert))], "it is known already")
    var over = left
    over.alert = Alert(id: other.id, startedAt: Self.start, endedAt: Self.start, message: "there")
    #expect(WatchEvent.between(left, over) == [.ended(try #require(over.alert))])
    #expect(WatchEvent.between(both, alone) == [.ended(other)])
  }

  @Test func `a refusal is reported`() throws {
    #expect(WatchEvent.between(try status(), try status(parked: 1)) == [.parked(1)])
  }
}
