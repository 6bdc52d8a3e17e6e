import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

@Suite(.blocking) struct `Alerts on the command line` {
  /// "No alert" would be a guess: the file may be one.
  @Test func `a saved alert that cannot be read leaves it unknown whether one is active`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync")
    try device.run("alert", "deactivate", "--yes", "--no-sync")
    let file = device.home + "/spool/0190a000-0000-7000-8000-000000000001.json"
    mkdir(device.home + "/spool", 0o700)
    try Data("{".utf8).write(to: URL(fileURLWithPath: file))
    for command in [["alert", "status"], ["status"]] {
      let status = try device.run(command)
      #expect(status.status == 73 && status.output.contains("UNKNOWN whether an alert is active"), "\(status)")
      #expect(status.output.contains("The last one known here was raised"))
      #expect(!status.output.contains("No alert"))
    }
    #expect(try device.run("alert", "status", "--json").json().boolean("active_unknown"))
    #expect(try device.run("alert", "history").status == 73)
    let watched = try device.run("alert", "watch")
    #expect(watched.status == 73 && watched.error.contains("UNKNOWN whether an alert is active"), "\(watched)")
    unlink(file)
    #expect(try device.run("alert", "status").output.contains("No alert is active."))
  }

  /// Without it, the command would be about another device.
  @Test(arguments: [
    ["alert", "activate", "--yes", "--no-sync"], ["status"], ["doctor"], ["inbox"], ["queue", "retry", "x"],
  ])
  func `what a person is told to type names the same home`(command: [String]) throws {
    let device = try TestDevice()
    let home = device.folder.path("another home")
    let told = try device.run(["--home", home] + command)
    let text = told.output + told.error
    #expect(text.contains("lifesignal --home '\(home)' "), "\(text)")
    #expect(text.split(separator: "lifesignal --home").count == text.split(separator: "lifesignal ").count, "\(text)")
  }

  @Test func `an unreadable alert keeps “nothing to end” from being said`() throws {
    let device = try TestDevice()
    #expect(try device.run("alert", "deactivate", "--yes").output.contains("Nothing to end."))
    mkdir(device.home + "/spool", 0o700)
    try Data("{".utf8).write(to: URL(fileURLWithPath: device.home + "/spool/0190a000-0000-7000-8000-000000000001.json"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.status == 73 && ended.error.contains("NOTHING ended") && ended.output.isEmpty, "\(ended)")
  }

  @Test func `after an end, an unreadable alert leaves it unknown whether another is active`() throws {
    let device = try TestDevice()
    for isJSON in [false, true] {
      try device.run("alert", "activate", "--yes", "--no-sync")
      mkdir(device.home + "/spool", 0o700)
      let file = device.home + "/spool/0190a000-0000-7000-8000-000000000001.json"
      try Data("{".utf8).write(to: URL(fileURLWithPath: file))
      let ended = try device.run(["alert", "deactivate", "--yes", "--no-sync"] + (isJSON ? ["--json"] : []))
      unlink(file)
      #expect(ended.status == 0)
      if isJSON {
        #expect(try ended.json().integer("ended") == 1)
        #expect(try ended.json().boolean("active_unknown"))
      } else {
        #expect(ended.output.contains("ENDED"), "\(ended)")
        #expect(ended.output.contains("UNKNOWN whether another alert is active"), "\(ended)")
      }
    }
  }

  @Test func `an alert is saved, shown, ended and remembered`() throws {
    let device = try TestDevice()
    let raised = try device.run(
      "alert", "activate", "--yes", "--no-sync", "--json", "--message", " fell on the ridge ", "--location",
      "46.5763,7.9905")
    #expect(raised.status == 0)
    let answer = try raised.json()
    #expect(answer.keys == ["alert", "already_active", "stage", "nobody_is_told", "readiness"])
    #expect(try !answer.boolean("already_active"))
    #expect(try answer.string("stage") == "saved")
    let alert = try answer.object("alert")
    #expect(alert.keys == ["id", "started_at", "ended_at", "message", "location", "drill"])
    #expect(try alert.string("message") == "fell on the ridge")
    #expect(alert.isNull("ended_at"))

    let status = try device.run("alert", "status", "--json").json()
    #expect(status.keys == ["active", "alert", "update", "nobody_is_told", "delivery", "sync"])
    #expect(try status.boolean("active"))
    #expect(try status.object("alert").string("id") == alert.string("id"))
    #expect(try status.object("delivery").string("stage") == "saved")
    #expect(try status.object("delivery").isNull("accepted_at"))
    #expect(try status.object("delivery").objects("responders").isEmpty)
    #expect(try status.object("sync").integer("pending") == 2)
    #expect(try status.object("sync").integer("parked") == 0)
    #expect(try !status.object("sync").boolean("signed_in"))
    for name in ["last_success_at", "last_error"] { #expect(try status.object("sync").isNull(name)) }

    let ended = try device.run("alert", "deactivate", "--yes", "--no-sync", "--json").json()
    #expect(try ended.object("alert").string("id") == alert.string("id"))
    #expect(try ended.integer("ended") == 1)
    let history = try device.run("alert", "history", "--json").jsonLines()
    #expect(history.count == 1)
    #expect(try history[0].string("id") == alert.string("id"))
    #expect(try !history[0].string("ended_at").isEmpty)
    #expect(try history[0].string("stage") == "saved")
  }

  @Test func `raising twice keeps the first alert, and is no error`() throws {
    let device = try TestDevice()
    let first = try device.run("alert", "activate", "--yes", "--no-sync", "--json").json()
    let second = try device.run("alert", "activate", "--yes", "--no-sync", "--json")
    #expect(second.status == 0)
    #expect(try second.json().boolean("already_active"))
    #expect(
      try second.json().object("alert").string("started_at") == first.object("alert").string("started_at"))
    #expect(try device.run("alert", "history", "--json").jsonLines().count == 1)
    #expect(try device.run("alert", "activate", "--yes", "--no-sync").output.contains("ALREADY ACTIVE"))
  }

  @Test func `the lines are ordered by urgency`() throws {
    let device = try TestDevice()
    let raised = try device.run("alert", "activate", "--yes")
    #expect(raised.status == 0)
    let lines = raised.output.split(separator: "\n")
    #expect(lines[0] == "NOBODY WILL BE TOLD: no server is set.")
    #expect(lines[2].wholeMatch(of: /SAVED on this device at \d\d:\d\d:\d\d\./) != nil)
    #expect(raised.output.contains("NOT SENT: this device is not signed in."))
    #expect(raised.output.contains("lifesignal sign-in"))
    #expect(!raised.output.contains("\u{1B}"))
    let status = try device.run("alert", "status").output
    #expect(status.hasPrefix("ALERT ACTIVE since"))
    #expect(status.contains("accepted      not yet\n"))
  }

  @Test func `a drill is labelled as one, and does not replace an alert`() throws {
    let device = try TestDevice()
    let saved = try device.run("alert", "activate", "--yes", "--no-sync", "--drill").output
    #expect(saved.hasPrefix("DRILL: NOBODY WOULD BE TOLD: no server is set.\nDRILL SAVED"), "\(saved)")
    let real = try device.run("alert", "activate", "--yes", "--no-sync", "--json").json()
    #expect(try !real.boolean("already_active"))
    #expect(try !real.object("alert").boolean("drill"))
    let drill = try device.run("alert", "activate", "--yes", "--no-sync", "--drill").output
    #expect(drill.hasPrefix("NO DRILL was raised: a real alert is ALREADY ACTIVE since"), "\(drill)")
    #expect(drill.contains("The server has NOT received your last call"), "\(drill)")
    #expect(try !device.run("sos", "--yes", "--no-sync", "--drill", "--json").json().boolean("drill_raised"))
  }

  @Test func `the end of a drill has words of its own`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel", "https://a.example")
    #expect(try device.run("sos", "--yes", "--no-sync", "--drill").output.hasPrefix("DRILL SAVED"), "it may be told")
    let ended = try device.run("alert", "deactivate", "--yes", "--no-sync")
    #expect(ended.status == 0)
    #expect(ended.output.contains("Your responders do NOT know yet that the drill is over.\n"), "\(ended.output)")
    let status = try device.run("alert", "status").output
    #expect(status.contains("that the drill is over.\n") && !status.contains("you are safe"), "\(status)")
    try device.run("sos", "--yes", "--no-sync")
    let real = try device.run("alert", "deactivate", "--yes", "--no-sync").output
    #expect(real.contains("Your responders do NOT know yet that you are safe.\n"), "\(real)")
  }

  @Test func `ending without an alert is no error`() throws {
    let device = try TestDevice()
    let outcome = try device.run("alert", "deactivate", "--yes")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("No alert is active"))
    #expect(try device.run("deactivate", "--yes").output == outcome.output, "who types it alone is not led to an alert")
    #expect(try device.run("alert", "deactivate", "--json").json().isNull("alert"))
  }

  @Test func `a device without any alert says so`() throws {
    let device = try TestDevice()
    let status = try device.run("alert", "status", "--json").json()
    #expect(try !status.boolean("active"))
    #expect(status.isNull("alert"))
    #expect(try device.run("alert", "history", "--json").output.isEmpty)
    #expect(try device.run("status").output.contains("not signed in"))
  }

  @Test func `the history is newest first and has the requested length`() throws {
    let device = try TestDevice()
    var ids: [String] = []
    for _ in 0..<3 {
      let raised = try device.run("alert", "activate", "--yes", "--no-sync", "--json").json()
      ids.append(try raised.object("alert").string("id"))
      try device.run("alert", "deactivate", "--yes", "--no-sync")
    }
    let newest = try device.run("alert", "history", "--limit", "2", "--json").jsonLines()
    #expect(try newest.map { try $0.string("id") } == [ids[2], ids[1]])
  }

  @Test func `only the owner can read the files`() throws {
    let device = try TestDevice()
    try device.run("config", "set", "endpoint", "http://127.0.0.1:1")
    try device.run("alert", "activate", "--yes", "--no-sync")
    #expect(try device.folder.mode(of: "home") == 0o700)
    for name in device.folder.names(in: "home") {
      let mode = try device.folder.mode(of: "home/" + name)
      #expect(mode & 0o077 == 0, "\(name) has mode \(String(mode, radix: 8))")
    }
  }
}
