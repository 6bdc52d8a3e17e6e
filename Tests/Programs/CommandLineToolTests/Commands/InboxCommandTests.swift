import ChildPrograms
import DeviceCore
import Foundation
import Glibc
import LocalStore
import Model
import ProgramTesting
import Testing
import Wire

/// `inbox` and `respond`, on a device whose store was told of alerts as if by a server that cannot be reached now.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `The inbox` {
  private let device: TestDevice
  private let now = DeviceClock.now().wall

  init() throws {
    device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
  }

  private func alert(
    _ number: UInt64 = 1, name: String? = "Ben", minutesAgo: Int64 = 5, endedMinutesAgo: Int64? = nil,
    isDrill: Bool = false
  ) -> InboxAlert {
    // The start of the id is its time.
    let start = now.advanced(byMilliseconds: -minutesAgo * 60_000)
    return InboxAlert(
      id: InboxID(versionSevenAt: start, random: (number, number)),
      alertID: AlertID(versionSevenAt: start, random: (number, 7)), phone: "+12025550143", name: name,
      startedAt: start, endedAt: endedMinutesAgo.map { now.advanced(byMilliseconds: -$0 * 60_000) }, isDrill: isDrill)
  }

  private func tell(_ alerts: InboxAlert...) throws {
    let store = try device.openStore()
    defer { store.close() }
    let batch = try store.nextBatch(BatchSelection(lane: .emergency, maximumItems: 10, maximumBytes: 10_000))
    let answer = SyncResponse(
      results: [], changes: alerts.map { .inbox($0.id, $0) }, cursor: "c", hasMore: false, epoch: "one",
      serverTime: DeviceClock.now().wall)
    _ = try store.apply(answer, to: batch, at: DeviceClock.now())
  }

  private var full: InboxAlert {
    get throws {
      var alert = alert()
      alert.message = "fell on the\u{1B}[2J ridge"
      alert.place = InboxAlert.Place(
        location: try Location(latitude: 46.5763, longitude: 7.9905), accuracyMeters: 11.2,
        at: now.advanced(byMilliseconds: -125_000))
      alert.batteryPercent = 12
      alert.comers = ["Ana", "Zoe"]
      alert.isAskedToConfirm = true
      alert.noContactSince = now.advanced(byMilliseconds: -100_000)
      alert.response = InboxAlert.Response(InboxAnswer(.onMyWay), at: now)
      alert.pageURL = "https://example.org/a/b"
      return alert
    }
  }

  @Test func `is empty, and says how old that is`() throws {
    let outcome = try device.run("inbox")
    #expect(outcome.status == 0 && outcome.output.contains("No alerts from people who named you"))
    #expect(outcome.output.contains("The server was never asked. To look again: lifesignal sync"))
    #expect(try device.run("inbox", "--json").output.isEmpty)
  }

  @Test func `is nothing without an account`() throws {
    let other = try TestDevice()
    for command in [["inbox"], ["respond", "Ben"], ["inbox", "--watch"]] {
      let outcome = try other.run(command)
      #expect(outcome.status == 77 && outcome.error.contains("NOT SIGNED IN"), "\(outcome)")
    }
  }

  @Test func `shows all that is known, safely for a terminal`() throws {
    let alert = try full
    try tell(alert)
    let output = try device.run("inbox").output
    for part in [
      "BEN NEEDS HELP since ", "\n  No contact with their device since ", "Message   “fell on the [2J ridge”",
      "46.5763,7.9905 within 12 m, 2 min ago",
      "Battery   12 %", "Coming    Ana, Zoe", "You       on the way (sent)", "Do you still come?",
      "https://example.org/a/b", alert.id.description, "lifesignal respond \(alert.id.description.prefix(8))",
    ] {
      #expect(output.contains(part), "\(part) in \(output)")
    }
    #expect(!output.contains("\u{1B}"))
  }

  @Test func `is JSON of one object a line`() throws {
    try tell(full, alert(2, name: nil, minutesAgo: 60, endedMinutesAgo: 3))
    let lines = try device.run("inbox", "--json").jsonLines()
    #expect(try lines.map { try $0.boolean("active") } == [true, false])
    #expect(try lines[0].object("alert").string("name") == "Ben")
    let last = now.advanced(byMilliseconds: -100_000).description
    #expect(try lines[0].object("alert").string("no_contact_since") == last)
    #expect(try lines[1].object("alert").isNull("no_contact_since"))
    #expect(try lines[0].object("answer").string("answer") == "on_my_way" && lines[0].object("answer").boolean("sent"))
    #expect(lines[1].isNull("answer") && lines[1].isNull("refusal"))
  }

  @Test func `shows what is over for a day, and later by --all`() throws {
    try tell(alert(1, name: "Old", minutesAgo: 3000, endedMinutesAgo: 1500), alert(2, endedMinutesAgo: 1))
    let output = try device.run("inbox").output
    #expect(output.contains("Ben: alert of ") && !output.contains("Old"))
    #expect(try device.run("inbox", "--all").output.contains("Old: alert of "))
  }

  @Test func `is at the top of the status`() throws {
    try tell(alert(1), alert(2, name: "Zoe", isDrill: true), alert(3, name: "Old", endedMinutesAgo: 1))
    let outcome = try device.run("status")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines[0].hasPrefix("BEN NEEDS HELP since ") && lines[0].hasSuffix("(lifesignal inbox)"), "\(outcome)")
    #expect(lines[1].hasPrefix("DRILL by Zoe since ") && !outcome.output.contains("Old"))
    #expect(outcome.longLines(hiding: device.folder.path).isEmpty)
    let json = try device.run("status", "--json").json()
    #expect((json.members["inbox"] as? [Any])?.count == 2)
  }

  @Test func `says at the top of the status that a device is silent, below its alert`() throws {
    var silent = alert(1)
    silent.noContactSince = now.advanced(byMilliseconds: -100_000)
    try tell(silent, alert(2, name: "Zoe", minutesAgo: 9))
    let lines = try device.run("status").output.split(separator: "\n")
    #expect(lines[0].hasPrefix("BEN NEEDS HELP") && lines[2].hasPrefix("ZOE NEEDS HELP"), "\(lines)")
    #expect(lines[1].hasPrefix("  No contact with their device since "), "\(lines)")
    #expect(lines.count { $0.contains("No contact") } == 1)
  }

  @Test(arguments: [
    ([], "responding"), (["--on-my-way", "20 min", "by car"], "on_my_way"), (["--there"], "there"),
    (["--cannot"], "cannot"), (["--handing-over"], "handing_over"),
  ])
  func `takes an answer, and keeps it until it is sent`(options: [String], word: String) throws {
    try tell(alert())
    let outcome = try device.run(["respond", "ben"] + options + ["--no-sync", "--json"])
    #expect(outcome.status == 0, "\(outcome)")
    let answer = try outcome.json().object("answer")
    #expect(try answer.string("answer") == word && !answer.boolean("sent"))
    if options.count > 1 { #expect(try answer.string("text") == "20 min by car") }
    #expect(try outcome.json().string("stage") == "saved")
    #expect(try device.run("inbox").output.contains("(NOT SENT YET)"))
    #expect(try device.run("queue", "list").output.contains("inbox.answer"))
    #expect(try device.run("sync").error.contains("1 answer waits here and stays safe."))
  }

  @Test func `says that an answer is saved and not sent, where nothing can be reached`() throws {
    try tell(alert())
    let outcome = try device.run("respond", "Ben", "--cannot")
    #expect(outcome.status == 75 && outcome.output.hasPrefix("SAVED on this device: to Ben: can't come"))
    #expect(outcome.output.contains("NOT SENT YET: it stays saved here.") && outcome.output.contains("lifesignal sync"))
    #expect(!outcome.output.contains("SENT."), "\(outcome)")
    let json = try device.run("respond", "Ben", "--json").jsonLines()
    #expect(try json.map { try $0.string("stage") } == ["saved", "saved"])
  }

  @Test func `finds the alert by name, number, start of its id, or because it is the only one`() throws {
    let first = alert(1, minutesAgo: 5)
    try tell(first, alert(2, minutesAgo: 90, endedMinutesAgo: 80))
    for words in [["+1 202 555 0143"], ["BEN"], [String(first.id.description.prefix(8))], [first.id.description], []] {
      let outcome = try device.run(["respond"] + words + ["--no-sync", "--json"])
      #expect(try outcome.json().string("id") == first.id.description, "\(words): \(outcome)")
    }
  }

  @Test func `says what to do where no alert is meant, or several`() throws {
    try tell(alert(1, minutesAgo: 5), alert(2, minutesAgo: 9, isDrill: true), alert(3, name: "Zoe", endedMinutesAgo: 1))
    let cases = [
      (["Ben"], "AMBIGUOUS: more than one alert fits “Ben”."), ([], "say which alert"),
      (["Nobody"], "NOT FOUND: no alert of “Nobody”"), (["zoe"], "NOT saved: the alert of Zoe ended at"),
      (["Nobody"], "\nAs of "), (["zoe"], "\nA newer alert may not be here yet: lifesignal sync"),
      (["zoe", "--no-sync"], "\nA newer alert may not be here yet: lifesignal sync"),
    ]
    for (words, text) in cases {
      let outcome = try device.run(["respond"] + words)
      #expect(outcome.status == 65 && outcome.error.contains(text), "\(outcome)")
      #expect(outcome.longLines(hiding: device.folder.path).isEmpty, "\(outcome)")
    }
    #expect(try device.run("respond", "Ben").error.contains("(DRILL)"))
    #expect(try device.run("respond", "Ben", "--there", "--cannot").status == 64)
    #expect(try device.run("queue", "list").output == "Nothing is queued.\n")
  }

  @Test func `shows each change while it is watched`() throws {
    try tell(alert(1))
    let watching = try RunningProgram(
      Programs.lifesignal, ["inbox", "--watch", "--no-sync"], environment: device.environment)
    try watching.line(containing: "BEN NEEDS HELP")
    try watching.line(containing: "As of ")
    try watching.line(containing: "NOTHING NEW COMES IN:")
    try watching.line(containing: "With --no-sync this command does not fetch, and nothing else here does.")
    try watching.line(containing: "Watching the inbox.")
    var changed = alert(1)
    changed.comers = ["Ana"]
    try tell(changed)
    try watching.line(containing: "Ben: Coming    Ana")
    try tell(alert(2, name: "Zoe", isDrill: true))
    try watching.line(containing: "DRILL by Zoe")
    #expect(try device.run("respond", "Ben", "--there", "--no-sync").status == 0)
    try watching.line(containing: "Ben: You       there (NOT SENT YET)")
    try tell(alert(1, endedMinutesAgo: 0))
    try watching.line(containing: "Ben: alert ENDED at")
    watching.send(SIGINT)
    #expect(watching.end() == 0)
  }
}
