import Arguments
import Model
import Testing

@testable import CommandLineTool
@testable import LocalStore

@Suite struct `What is told while a call for help is sent` {
  private static let start = Timestamp(milliseconds: 1_795_000_000_000)

  private let alertID: AlertID
  private let console: Console
  private let time = LocalTime(now: Self.start)

  init() throws {
    alertID = try #require(AlertID("01975000-0000-7000-8000-000000000001"))
    console = Context(invocation: Invocation(path: [CommandTable.root]), environment: Environment()).console
  }

  private func receipt(_ name: String, _ state: DeliveryState, atMilliseconds: Int64) throws -> Receipt {
    Receipt(
      id: try #require(ReceiptID("01975000-0000-7000-8000-000000000002")), alertID: alertID,
      contactID: try #require(ContactID("01975000-0000-7000-8000-000000000003")), contactName: name,
      notice: .activated, channel: .webhook, state: state, at: Self.start.advanced(byMilliseconds: atMilliseconds),
      reason: nil)
  }

  private func view(
    acceptedAtMilliseconds: Int64?, _ receipts: [Receipt], nobody: NobodyIsTold? = nil, isDrill: Bool = false,
    queued: [QueueItem] = [], lastError: String? = nil
  ) -> DeliveryView {
    let acceptedAt = acceptedAtMilliseconds.map(Self.start.advanced(byMilliseconds:))
    return DeliveryView(
      status: AlertStatus(
        alert: Alert(id: alertID, startedAt: Self.start, isDrill: isDrill),
        stage: acceptedAt == nil ? .saved : .accepted,
        acceptedAt: acceptedAt, responders: receipts, safeReceipts: [],
        sync: SyncOverview(pending: queued.count, parked: 0, lastError: lastError, signedIn: true), nobodyIsTold: nobody
      ),
      queued: queued, isSessionExpired: false, press: PressProgress(alertID: alertID, acceptedAt: acceptedAt))
  }

  private func progress() -> DeliveryProgress {
    DeliveryProgress(alertID: alertID, notice: .activated, hasResponders: true)
  }

  @Test func `deliveries of the previous call are not shown for this one, and do not end the wait`() throws {
    var progress = progress()
    let before = try receipt("Ana", .sent, atMilliseconds: 1000)
    #expect(progress.take(view(acceptedAtMilliseconds: nil, [before]), time, console).isEmpty)
    #expect(!progress.isDone)

    let accepted = progress.take(view(acceptedAtMilliseconds: 5000, [before]), time, console)
    #expect(accepted.count == 1 && accepted[0].hasPrefix("RECEIVED by the server"), "\(accepted)")
    #expect(!progress.isDone)
    #expect(progress.earlier == [before])

    let sent = progress.take(
      view(acceptedAtMilliseconds: 5000, [try receipt("Ana", .sent, atMilliseconds: 6000)]), time, console)
    #expect(sent.count == 1 && sent[0].hasPrefix("  Ana: sent by webhook"), "\(sent)")
    #expect(progress.isDone && progress.earlier.isEmpty)
  }

  @Test func `a person's answer counts for every call`() throws {
    var progress = progress()
    let lines = progress.take(
      view(acceptedAtMilliseconds: 5000, [try receipt("Dia", .acknowledged, atMilliseconds: 1000)]), time, console)
    #expect(lines.contains { $0.hasPrefix("  Dia: IS RESPONDING") }, "\(lines)")
    #expect(progress.isDone)
  }

  @Test func `if every message failed, the strongest text is shown, once`() throws {
    var progress = progress()
    let waiting = view(acceptedAtMilliseconds: 5000, [try receipt("Eva", .queued, atMilliseconds: 5000)])
    #expect(progress.take(waiting, time, console).count == 1)
    let failed = view(
      acceptedAtMilliseconds: 5000, [try receipt("Eva", .failed, atMilliseconds: 6000)], nobody: .unreachable)
    let lines = progress.take(failed, time, console)
    #expect(lines.first?.hasPrefix("NOBODY MAY BE TOLD: this server cannot reach any of your responders") == true)
    #expect(lines.contains { $0.hasPrefix("  Eva: FAILED by webhook") }, "\(lines)")
    #expect(progress.isDone)
    #expect(progress.take(failed, time, console).isEmpty)
  }

  @Test func `why nobody is told is not said again, unless it is something else`() throws {
    var progress = DeliveryProgress(
      alertID: alertID, notice: .activated, hasResponders: true, nobodySaid: .noResponders)
    let accepted = progress.take(view(acceptedAtMilliseconds: 5000, [], nobody: .noResponders), time, console)
    #expect(accepted.count == 1 && accepted[0].hasPrefix("RECEIVED"), "\(accepted)")
    let other = progress.take(view(acceptedAtMilliseconds: 5000, [], nobody: .unsupported), time, console)
    #expect(other.first?.hasPrefix("NOBODY MAY BE TOLD: this server cannot use their channels.") == true, "\(other)")
  }

  private func queued(attempts: Int, _ error: String?) -> QueueItem {
    QueueItem(
      id: "1", kind: "alert.activate", entityID: EntityID(alertID), lane: .emergency, createdAt: Self.start,
      attempts: attempts, lastError: error, body: "{}")
  }

  @Test func `why something else failed before is not said of this call`() throws {
    func lines(_ progress: inout DeliveryProgress, attempts: Int, _ error: String?) -> [String] {
      let view = view(
        acceptedAtMilliseconds: nil, [], queued: [queued(attempts: attempts, error)], lastError: "the session has ended"
      )
      return progress.take(view, time, console)
    }
    var new = progress()
    #expect(lines(&new, attempts: 0, nil).isEmpty, "it was not tried yet")
    #expect(lines(&new, attempts: 1, "the network is gone").joined().contains("Reason: the network is gone."))
    #expect(lines(&new, attempts: 2, "the network is gone").isEmpty, "once")

    var old = DeliveryProgress(
      alertID: alertID, notice: .activated, hasResponders: true, attemptsBefore: ["1": 3])
    #expect(lines(&old, attempts: 3, "the session has ended").isEmpty, "that was before the sign-in")
    #expect(lines(&old, attempts: 4, "the network is gone").joined().contains("NOT SENT YET. Trying again."))
  }

  /// A request that went out may have arrived, whatever became of its answer.
  @Test func `is not called unsent once an attempt may have come through`() throws {
    func lines(_ progress: inout DeliveryProgress, attempts: Int, _ error: String?, _ kind: SyncFailure.Kind) -> String
    {
      var view = view(acceptedAtMilliseconds: nil, [], queued: [queued(attempts: attempts, error)], lastError: error)
      view.status.sync.lastErrorKind = kind.rawValue
      return progress.take(view, time, console).joined()
    }
    var lost = progress()
    _ = lines(&lost, attempts: 0, nil, .offline)
    #expect(lost.isOutcomeUnknown, "the first attempt is on its way")
    #expect(lines(&lost, attempts: 1, "no network", .offline).hasPrefix("NOT SENT YET."))
    #expect(!lost.isOutcomeUnknown)
    #expect(lines(&lost, attempts: 2, "no answer", .timeout).hasPrefix("NOT CONFIRMED YET."))
    #expect(lines(&lost, attempts: 3, "no network", .offline).hasPrefix("NOT CONFIRMED YET."))
    #expect(lost.isOutcomeUnknown)
  }

  /// The status shows the one that was over last, which may be another one.
  @Test func `the ends of several alerts are followed together`() throws {
    let (other, receipts) = try ends()
    var progress = DeliveryProgress(
      alertID: alertID, notice: .deactivated, alsoEnded: [alertID, other], hasResponders: true)
    #expect(progress.ends == [alertID, other])
    let waiting = endView([], queued: [EntityID(other)])
    #expect(!progress.take(waiting, time, console).contains { $0.hasPrefix("RECEIVED") })
    let lines = progress.take(endView(receipts), time, console)
    #expect(lines.count == 2 && lines[0].hasPrefix("RECEIVED by the server"), "\(lines)")
    #expect(lines.last?.hasPrefix("  Ana: ") == true, "once for both: \(lines)")
    #expect(progress.isDone)
  }

  @Test func `an end that the server refuses is said, and the others are followed on`() throws {
    let (other, receipts) = try ends()
    var progress = DeliveryProgress(alertID: alertID, notice: .deactivated, alsoEnded: [other], hasResponders: true)
    let lines = progress.take(endView(receipts, active: [other]), time, console)
    #expect(lines.first?.hasPrefix("RECEIVED") == true && lines.last?.hasPrefix("ONE IS NOT ENDED") == true)
    #expect(progress.ends == [alertID] && progress.refusedEnds == [other] && !progress.isRefused)
    #expect(!progress.take(endView(receipts, active: [other]), time, console).joined().contains("NOT ENDED"))
    let both = progress.take(endView([], active: [alertID, other]), time, console)
    #expect(both.count == 1 && progress.isRefused && progress.isDone)
  }

  /// Another alert, and a receipt of the end of each.
  private func ends() throws -> (AlertID, [Receipt]) {
    let other = try #require(AlertID("01975000-0000-7000-8000-000000000009"))
    let receipts = try [other, alertID].map { alert in
      Receipt(
        id: ReceiptID(EntityID(alert)), alertID: alert,
        contactID: try #require(ContactID("01975000-0000-7000-8000-000000000003")), contactName: "Ana",
        notice: .deactivated, channel: .webhook, state: .sent, at: Self.start, reason: nil)
    }
    return (other, receipts)
  }

  private func endView(_ receipts: [Receipt], queued: [EntityID] = [], active: Set<AlertID> = []) -> DeliveryView {
    let items = queued.map {
      QueueItem(
        id: "1", kind: "alert.deactivate", entityID: $0, lane: .emergency, createdAt: Self.start, attempts: 0,
        lastError: nil, body: "{}")
    }
    var view = view(acceptedAtMilliseconds: 5000, [], queued: items)
    view.press = nil
    view.safeReceipts = receipts
    view.active = active
    return view
  }

  @Test func `a drill says that nobody would be told, in words that are no call for help`() throws {
    var progress = progress()
    let view = view(acceptedAtMilliseconds: 5000, [], nobody: .noResponders, isDrill: true)
    let lines = progress.take(view, time, console)
    #expect(lines.first?.hasPrefix("DRILL: NOBODY WOULD BE TOLD: you have no responders.\n") == true, "\(lines)")
    #expect(!lines.joined().contains("Call for help"))
  }
}
