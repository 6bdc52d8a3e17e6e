import Arguments
import Model
import Testing
import Wire

@testable import CommandLineTool
@testable import LocalStore

@Suite struct `What a person reads of an alert` {
  private static let start = Timestamp(milliseconds: 1_795_000_000_000)

  private func lines(
    acceptedAfterMilliseconds delay: Int64?, receipts: [(String, DeliveryState, String?)] = [], silent: [String] = [],
    later: [String] = [], error: (String, String)? = nil, nobody: NobodyIsTold? = nil, calledAgain: AlertUpdate? = nil,
    pressedAgainAt: Timestamp? = nil,
    isDrill: Bool = false, others: [OtherActiveAlert] = []
  ) throws -> [String] {
    let id = try #require(AlertID("01975000-0000-7000-8000-000000000001"))
    let acceptedAt = delay.map(Self.start.advanced(byMilliseconds:))
    let responders = try receipts.map { name, state, reason in
      Receipt(
        id: try #require(ReceiptID("01975000-0000-7000-8000-000000000002")), alertID: id,
        contactID: try #require(ContactID("01975000-0000-7000-8000-000000000003")), contactName: name,
        notice: .activated, channel: .webhook, state: state, at: Self.start, reason: reason)
    }
    let status = AlertStatus(
      alert: Alert(id: id, startedAt: Self.start, isDrill: isDrill), newestUpdate: calledAgain,
      otherActive: others,
      stage: acceptedAt == nil ? .saved : .accepted,
      acceptedAt: acceptedAt, newestPressAt: pressedAgainAt, responders: responders, safeReceipts: [],
      sync: SyncOverview(
        pending: 0, parked: 0, lastSuccessAt: nil, nextAttemptAt: nil, lastError: error?.1, lastErrorKind: error?.0,
        signedIn: true, serverOffsetMilliseconds: nil), nobodyIsTold: nobody)
    let invocation = Invocation(path: [CommandTable.root])
    let console = Context(invocation: invocation, environment: Environment()).console
    let time = LocalTime(now: Self.start)
    var report = AlertReport(status: status, silentResponders: silent, time: time, console: console)
    report.laterResponders = later
    return report.lines
  }

  @Test func `every active alert is shown, with what was said in it`() throws {
    let other = Alert(
      id: try #require(AlertID("01975000-0000-7000-8000-000000000004")),
      startedAt: Self.start.advanced(byMilliseconds: 60_000), message: "in the hut")
    let lines = try lines(acceptedAfterMilliseconds: 0, others: [OtherActiveAlert(other)])
    let time = LocalTime(now: Self.start).text(other.startedAt)
    #expect(lines.contains { $0.contains("2 alerts are active. The answers to all of them are shown.") })
    #expect(lines.contains("  also active   since \(time): in the hut"))
  }

  @Test func `a responder of a later tier is told if nobody comes`() throws {
    let lines = try lines(acceptedAfterMilliseconds: 0, silent: ["Ana"], later: ["Ben"])
    #expect(lines.contains("  Ana           waiting for the server"))
    #expect(lines.contains("  Ben           told later, if nobody comes"))
  }

  @Test func `up to a minute is in time, and more is late and shown with both times`() throws {
    let inTime = try lines(acceptedAfterMilliseconds: 60_000).joined(separator: "\n")
    #expect(!inTime.contains("late"))
    let late = try lines(acceptedAfterMilliseconds: 2 * 3600 * 1000).joined(separator: "\n")
    let time = LocalTime(now: Self.start)
    let raised = time.short(Self.start), received = time.short(Self.start.advanced(byMilliseconds: 7_200_000))
    #expect(late.contains("late: raised \(raised), received \(received)"))
  }

  @Test func `a second press is late by its own time`() throws {
    let pressedAt = Self.start.advanced(byMilliseconds: 3_600_000)
    let inTime = try lines(acceptedAfterMilliseconds: 3_660_000, pressedAgainAt: pressedAt)
    #expect(!inTime.joined().contains("late"))
    let late = try lines(acceptedAfterMilliseconds: 7_200_000, pressedAgainAt: pressedAt)
    #expect(late.joined().contains("late: raised \(LocalTime(now: Self.start).short(pressedAt)),"))
  }

  @Test func `every time that a damaged store may hold can be shown`() {
    for milliseconds in [Int64.min, .min + 1, .min + 999, -1001, -1000, -1, 0, .max] {
      let time = LocalTime(now: Timestamp(milliseconds: milliseconds))
      #expect(!time.full(Timestamp(milliseconds: milliseconds)).isEmpty)
      #expect(time.text(Self.start).hasPrefix("20"))
    }
    let local = LocalTime(now: Self.start)
    #expect(local.full(Timestamp(milliseconds: -1)) == local.full(Timestamp(milliseconds: -1000)))
    #expect(local.full(Timestamp(milliseconds: -1001)) == local.full(Timestamp(milliseconds: -2000)))
  }

  @Test func `a state is never shown before it is reached`() throws {
    let saved = try lines(acceptedAfterMilliseconds: nil, silent: ["Ana"])
    let words = " not yet"
    #expect(saved.contains { $0.contains("accepted") && $0.contains(words) })
    #expect(saved.contains { $0.contains("Ana") && $0.contains(" not told yet") })
    for word in ["sent", "seen", "RESPONDING"] { #expect(!saved.contains { $0.contains(word) }) }
  }

  @Test func `each state has its text, and a failure its reason`() throws {
    let receipts: [(String, DeliveryState, String?)] = [
      ("Ana", .queued, nil), ("Ben", .sent, nil), ("Cem", .seen, nil), ("Dia", .acknowledged, nil),
      ("Eva", .failed, "410 gone"),
    ]
    let text = try lines(acceptedAfterMilliseconds: 1, receipts: receipts).joined(separator: "\n")
    for words in [
      "Ana           waiting", "Ben           sent by webhook", "Cem           seen", "Dia           IS RESPONDING",
    ] {
      #expect(text.contains(words), "\(text)")
    }
    #expect(text.contains("FAILED by webhook") && text.contains("410 gone"))
  }

  @Test func `a message from before the last call does not count for that call`() throws {
    let receipts: [(String, DeliveryState, String?)] = [("Ana", .sent, nil), ("Bea", .acknowledged, nil)]
    let call = AlertUpdate(at: Self.start.advanced(byMilliseconds: 5000))
    for acceptedAfter in [nil, 6000] as [Int64?] {
      let shown = try lines(acceptedAfterMilliseconds: acceptedAfter, receipts: receipts, calledAgain: call)
      #expect(shown.contains { $0.contains("Ana") && $0.hasSuffix("before the last call") })
      #expect(shown.contains { $0.contains("Bea") && !$0.contains("before") }, "an answer stands")
    }
    let told = try lines(acceptedAfterMilliseconds: 0, receipts: receipts, calledAgain: call)
    #expect(!told.joined().contains("before the last call"))
  }

  @Test func `an alert without responders is reported as such`() throws {
    let first = try #require(try lines(acceptedAfterMilliseconds: 1, nobody: .noResponders).first)
    #expect(first.hasPrefix("NOBODY WILL BE TOLD: you have no responders.\nCall for help another way now."))
  }

  @Test func `where the app may tell somebody, the report does not say that nobody will be told`() throws {
    for nobody in [NobodyIsTold.noChannel, .unsupported, .unreachable] {
      let first = try #require(try lines(acceptedAfterMilliseconds: 1, nobody: nobody).first)
      #expect(first.hasPrefix("NOBODY MAY BE TOLD: \(nobody.reason).\nThe app tells only those who use LifeSignal"))
      #expect(first.contains("\nCall for help another way now.\n"))
      let drill = try #require(try lines(acceptedAfterMilliseconds: 1, nobody: nobody, isDrill: true).first)
      #expect(drill.hasPrefix("DRILL: NOBODY MAY BE TOLD: \(nobody.reason).\nThe app tells only"))
    }
  }

  @Test func `so is a drill, in words that are no call for help`() throws {
    let text = try lines(acceptedAfterMilliseconds: 1, nobody: .noResponders, isDrill: true)
    #expect(text.first?.hasPrefix("DRILL: NOBODY WOULD BE TOLD: you have no responders.\n") == true, "\(text)")
    #expect(!text.joined().contains("Call for help"))
  }

  @Test func `another server's answer is named as such`() throws {
    let text = try lines(acceptedAfterMilliseconds: nil, error: ("not_our_server", OwnAnswer.foreignText))
      .joined()
    #expect(text.contains("this network answered instead of your server; it may need a log-in"))
  }
}
