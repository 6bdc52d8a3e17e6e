import Arguments
import LocalStore
import Model
import Testing

@testable import CommandLineTool
@testable import DeviceCore

private let start = Timestamp(milliseconds: 1_795_000_000_000)

/// Somebody's alert, a minute after that of the number before.
private func entry(
  _ number: UInt64 = 1, _ name: String? = "Ben", ended: Bool = false, isDrill: Bool = false,
  _ change: (inout InboxEntry) -> Void = { _ in }
) -> InboxEntry {
  let start = start.advanced(byMilliseconds: Int64(number) * 60_000)
  var entry = InboxEntry(
    alert: InboxAlert(
      id: InboxID(versionSevenAt: start, random: (number, number)),
      alertID: AlertID(versionSevenAt: start, random: (number, 7)), phone: "+1202555014\(number)", name: name,
      startedAt: start, endedAt: ended ? start.advanced(byMilliseconds: 9000) : nil, isDrill: isDrill))
  change(&entry)
  return entry
}

private func context(_ words: [String] = []) -> Context {
  var invocation = Invocation(path: [CommandTable.root, CommandTable.respond])
  for word in words { invocation.add(argument: word) }
  return Context(invocation: invocation, environment: Environment())
}

@Suite struct `Which alert a responder means` {
  private let ben = entry(1, "Ben"), smith = entry(2, "Ben Smith"), zoe = entry(3, "Zoe Maria Roe")

  /// "number: line" of one alert, "several" or "over"; nil for none.
  private func chosen(_ words: String, of entries: [InboxEntry]) throws -> String? {
    let given = words.isEmpty ? [] : [words]
    let one = try text(InboxChoice(entries, context(given)).result())
    let split = words.split(separator: " ").map { String($0) }
    #expect(try text(InboxChoice(entries, context(split)).result()) == one)
    return one
  }

  private func text(_ result: InboxChoice.Result) -> String? {
    switch result {
    case .one(let alert, let text): "\(alert.phone.suffix(1)): \(text)"
    case .several: "several"
    case .over: "over"
    case .unknown, .noneActive: nil
    }
  }

  @Test(arguments: [
    ("Ben Smith", "2: "), ("ben smith by car", "2: by car"), ("Ben", "several"), ("Ben by car", "several"),
    ("Zoe", "3: "), ("zoe maria in 5 min", "3: in 5 min"), ("Zoe Roe", "3: Roe"), ("Zo", nil), ("", "several"),
    ("+1 202 555 0141 by car", "1: by car"), ("+12025550142", "2: "),
  ])
  func `is in the longest run of words that is a name, or begins one`(words: String, wanted: String?) throws {
    #expect(try chosen(words, of: [ben, smith, zoe]) == wanted)
  }

  @Test func `is never somebody whose name only begins like that of an ended one`() throws {
    let ended = entry(1, "Ben", ended: true)
    #expect(try chosen("Ben", of: [smith, ended]) == "several")
    #expect(try chosen("Ben Smith", of: [smith, ended]) == "2: ")
    #expect(try chosen("Ben", of: [zoe, ended]) == "over")
    #expect(try chosen("Ben Smith", of: [ben, entry(2, "Ben Smith", ended: true)]) == "over")
  }

  @Test func `is the active one of a person, and the only one without words`() throws {
    #expect(try chosen("Ben soon", of: [ben, entry(2, "Ben", ended: true)]) == "1: soon")
    #expect(try chosen("", of: [ben, entry(2, ended: true)]) == "1: ")
    #expect(try chosen("", of: [entry(2, ended: true)]) == nil)
    #expect(try chosen("\(smith.id) soon", of: [ben, smith]) == "2: soon")
  }
}

@Suite struct `What became of an answer to an alert` {
  private let answer = InboxAnswer(.onMyWay, text: "soon")

  /// Of an alert that shows this answer as the server's, with this one waiting.
  private func outcome(
    _ shown: InboxAnswer? = nil, waiting: InboxAnswer? = nil, refusal: String? = nil
  ) -> AnswerOutcome {
    let entry = entry {
      $0.alert.response = shown.map { InboxAlert.Response($0, at: start) }
      $0.waiting = waiting
      $0.refusal = refusal
    }
    return AnswerOutcome(of: answer, .success(entry))
  }

  @Test func `is sent only if the server shows this answer`() {
    #expect(outcome(answer) == .taken)
    #expect(outcome(InboxAnswer(.onMyWay, text: "the line of before")) == .taken)
    #expect(outcome(InboxAnswer(.cannot, text: "soon")) == .unknown)
    #expect(outcome() == .unknown)
    #expect(outcome(waiting: answer) == .waiting)
  }

  @Test func `is a refusal where the alert has gone, and open where nothing can be read`() {
    #expect(AnswerOutcome(of: answer, .success(nil)) == .refused("you are no longer told of this alert"))
    #expect(AnswerOutcome(of: answer, .success(nil)).stage == "refused")
    #expect(AnswerOutcome(of: answer, .failure(LocalStoreError(.busy, "busy"))) == .waiting)
    #expect(outcome(refusal: "no") == .refused("no"))
  }

  @Test func `is told apart from the answer that counts`() {
    let refused = entry {
      $0.alert.response = .init(InboxAnswer(.there), at: start)
      $0.refusal = "you have answered since"
    }
    let lines = InboxReport(refused, among: [refused], LocalTime(now: start), context().console).lines
    #expect(lines.contains("  You       there (sent)"))
    #expect(lines.contains("  You       newest answer NOT TAKEN: you have answered since"))
  }
}

@Suite struct `The words of an alert in the inbox` {
  @Test func `are listed, and that there are more is said`() {
    let alert = entry {
      $0.alert.message = "it snows"
      $0.alert.earlierMessages = [.init("rope is \u{1B}stuck", at: start), .init("I fell", at: start)]
      $0.alert.hasMoreMessages = true
    }
    let time = LocalTime(now: start)
    let lines = InboxReport(alert, among: [alert], time, context().console).lines
    #expect(
      lines.filter { $0.hasPrefix("  Message") || $0.hasPrefix("  Earlier") } == [
        "  Message   “it snows”", "  Earlier   “\("rope is \u{1B}stuck".printable)” (\(time.short(start)))",
        "  Earlier   there are others, which the page lists", "  Earlier   “I fell” (\(time.short(start)))",
      ])
  }
}

@Suite struct `The changes of a watched inbox` {
  private func said(_ message: String?, after earlier: String...) -> InboxEntry {
    entry {
      $0.alert.message = message
      // Newest first; each a second before.
      $0.alert.earlierMessages = earlier.enumerated().map { place, words in
        .init(words, at: start.advanced(byMilliseconds: Int64(earlier.count - place) * 1000))
      }
    }
  }

  @Test func `say every word that came meanwhile, in its order`() {
    let before = said("I fell")
    #expect(lines(before, said("I fell")).isEmpty)
    #expect(lines(said(nil), said("I fell")) == ["Ben: “I fell”"])
    #expect(
      lines(before, said("it snows", after: "rope is stuck", "I fell")) == ["Ben: “rope is stuck”", "Ben: “it snows”"])
    #expect(
      lines(said("rope is stuck", after: "I fell"), said("it snows", after: "rope is stuck", "I fell"))
        == ["Ben: “it snows”"])
    #expect(
      lines(before, said("I fell", after: "it snows", "I fell")) == ["Ben: “it snows”", "Ben: “I fell”"],
      "said again")
  }

  private func lines(_ before: InboxEntry, _ after: InboxEntry) -> [String] {
    InboxEvent.between([before], [after]).flatMap {
      $0.lines(among: [after], LocalTime(now: start), context().console)
    }
  }

  @Test func `name an alert that is active again`() {
    #expect(InboxEvent.between([entry(ended: true)], [entry()]) == [.raised(entry())])
    #expect(InboxEvent.between([entry()], [entry(ended: true)]) == [.ended(entry(ended: true))])
    #expect(InboxEvent.between([entry(ended: true)], [entry(ended: true)]).isEmpty)
  }

  @Test func `say in each line that it is a drill`() {
    let drill = entry(isDrill: true)
    #expect(lines(drill, entry(isDrill: true) { $0.alert.comers = ["Ana"] }) == ["DRILL by Ben: Coming    Ana"])
    let gone = InboxEvent.removed(drill).lines(among: [], LocalTime(now: start), context().console)
    #expect(gone == ["DRILL by Ben: you are no longer told of this alert"])
  }

  @Test func `say that their device is silent, and that it speaks again`() {
    let silent = entry { $0.alert.noContactSince = start }
    #expect(lines(entry(), silent) == ["Ben: No contact with their device since \(LocalTime(now: start).short(start))"])
    #expect(lines(silent, silent).isEmpty)
    #expect(lines(silent, entry()) == ["Ben: In contact with their device again"])
    #expect(InboxEvent.between([silent], [entry(ended: true)]) == [.ended(entry(ended: true))])
  }

  @Test func `say that nobody comes only where that is so`() {
    func again(_ change: (inout InboxEntry) -> Void) -> [String] {
      lines(
        entry { change(&$0) },
        entry {
          change(&$0)
          $0.alert.askedAgain = 1
        })
    }
    #expect(again { _ in } == ["Ben: ASKED AGAIN: nobody has said yet that they come."])
    #expect(again { $0.alert.comers = ["Ana"] } == ["Ben: asked again: do you come?"])
    #expect(again { $0.waiting = InboxAnswer(.onMyWay) } == ["Ben: asked again: do you still come?"])
  }
}

@Suite struct `Why nothing new comes into an inbox` {
  private func reason(
    _ health: SenderHealth, isFetching: Bool, isExpired: Bool = false, error: String? = nil
  ) -> String? {
    var sync = SyncOverview(
      pending: 0, parked: 0, lastSuccessAt: start, nextAttemptAt: nil, lastError: error,
      lastErrorKind: error == nil ? nil : "offline", signedIn: true,
      serverOffsetMilliseconds: nil)
    sync.isSessionExpired = isExpired
    return InboxStanding(sync, .possible(isExpired: isExpired), health, isFetching: isFetching)?.reason
  }

  @Test func `is said of an error, an expired session, and where nothing fetches`() {
    #expect(reason(.absent, isFetching: true) == nil)
    #expect(reason(.moving, isFetching: false) == nil)
    #expect(reason(.absent, isFetching: false)?.contains("nothing else here does") == true)
    #expect(reason(.absent, isFetching: true, error: "no route") == "no route")
    #expect(reason(.moving, isFetching: true, isExpired: true, error: "x") == "the session has expired")
    #expect(reason(.standingStill(processID: 7, milliseconds: 9000), isFetching: false)?.contains("7") == true)
  }
}
