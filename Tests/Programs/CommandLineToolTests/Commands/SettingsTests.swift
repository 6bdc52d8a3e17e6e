import ChildPrograms
import Foundation
import ProgramTesting
import Testing

@Suite(.blocking) struct `Settings, contacts and the queue` {
  @Test func `settings are kept, shown and removed`() throws {
    let device = try TestDevice()
    #expect(try device.run("config", "set", "endpoint", "http://127.0.0.1:8080/").status == 0)
    #expect(try device.run("config", "get", "endpoint").output == "http://127.0.0.1:8080\n")
    #expect(try device.run("config", "set", "region", "de").status == 0)
    let list = try device.run("config", "list", "--json").jsonLines()
    #expect(try list.map { try $0.string("key") } == ["endpoint", "second_endpoint", "ca_file", "region", "gpsd"])
    #expect(try list[3].string("value") == "DE")
    #expect(list[1].isNull("value"))
    #expect(try device.run("config", "set", "region", "").status == 0)
    #expect(try device.run("config", "get", "region", "--json").json().isNull("region"))
  }

  @Test func `a contact is added, replaced by number, listed and removed`() throws {
    let device = try TestDevice()
    let added = try device.run(
      "contacts", "add", "(202) 555-0143", "--region", "US", "--name", "Ana", "--responder", "--channel",
      "ntfy://ntfy.example/ana", "--json"
    ).json()
    #expect(try added.string("phone") == "+12025550143")
    let again = try device.run("contacts", "add", "+1 202 555 0143", "--name", "Ana B", "--responder", "--json").json()
    #expect(try again.string("id") == added.string("id"))
    let list = try device.run("contacts", "list", "--json").jsonLines()
    #expect(list.count == 2 && list[1].keys == ["readiness"])
    #expect(try list[0].string("name") == "Ana B")
    #expect(try list[0].boolean("responder"))
    #expect(try list[0].boolean("pending"))
    #expect(try device.run("contacts", "remove", added.string("id")).status == 0)
    #expect(try device.run("contacts", "list", "--json").jsonLines().map(\.keys) == [["readiness"]])
  }

  @Test func `a contact that is added again keeps omitted values, and replaced ones are reported`() throws {
    let device = try TestDevice()
    let number = "+12025550143"
    try device.run(
      "contacts", "add", number, "--name", "Ana", "--responder", "--channel", "ntfy://ntfy.example/ana", "--channel",
      "https://hooks.example/ana")
    let renamed = try device.run("contacts", "add", number, "--name", "Ana B", "--json").json()
    #expect(try renamed.strings("channels") == ["ntfy://ntfy.example/ana", "https://hooks.example/ana"])
    #expect(try renamed.boolean("responder"))
    let replaced = try device.run("contacts", "add", number, "--name", "Ana", "--channel", "ntfy://ntfy.example/new")
    #expect(replaced.output.contains("Changed Ana on this device"))
    #expect(replaced.output.contains("No longer used: ntfy://ntfy.example/ana\n"))
    #expect(replaced.output.contains("No longer used: https://hooks.example/ana\n"))
  }

  @Test func `a tier is shown, and kept by a second add that does not name one`() throws {
    let device = try TestDevice()
    let number = "+12025550143"
    let added = try device.run("contacts", "add", number, "--name", "Ana", "--responder", "--tier", "2", "--json")
      .json()
    #expect(try added.integer("tier") == 2)
    #expect(try device.run("contacts", "add", number, "--name", "Ana B").status == 0)
    #expect(try device.run("contacts", "list").output.contains("Ana B  +12025550143  responder (tier 2)"))
    #expect(try device.run("contacts", "add", number, "--name", "Ana", "--tier", "1").status == 0)
    #expect(try !device.run("contacts", "list").output.contains("tier"))
    for wrong in ["0", "10", "-1", "two", ""] {
      let refused = try device.run("contacts", "add", number, "--name", "Ana", "--tier", wrong)
      #expect(refused.status == 65 && refused.error.contains("--tier"), "\(wrong)")
    }
  }

  @Test func `a contact is removed by name or number, and an ambiguous name removes none`() throws {
    let device = try TestDevice()
    for (number, name) in [("+12025550143", "Ana"), ("+12025550144", "Ben"), ("+12025550145", "ben")] {
      try device.run("contacts", "add", number, "--name", name)
    }
    #expect(try device.run("contacts", "remove", "ana").output.contains("Removed Ana"))
    let ambiguous = try device.run("contacts", "remove", "Ben")
    #expect(ambiguous.status == 65)
    #expect(ambiguous.error.contains("+12025550144") && ambiguous.error.contains("+12025550145"))
    #expect(try device.run("contacts", "remove", "+1 202 555 0144").output.contains("Removed Ben"))
    let unknown = try device.run("contacts", "remove", "Ana")
    #expect(unknown.status == 65 && unknown.error.contains("no contact is called “Ana”"))
    #expect(try device.run("contacts", "list", "--json").jsonLines().count == 2)
  }

  @Test func `a missing setting prints nothing and has status 1`() throws {
    let device = try TestDevice()
    let outcome = try device.run("config", "get", "endpoint")
    #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.error.contains("endpoint is not set"))
    #expect(try device.run("config", "get", "nonsense").status == 65)
  }

  @Test func `quiet omits results and keeps errors, and verbose shows an error's code`() throws {
    let device = try TestDevice()
    let quiet = try device.run("-q", "contacts", "add", "+12025550143", "--name", "Ana")
    #expect(quiet.status == 0 && quiet.output.isEmpty)
    let failed = try device.run("-q", "contacts", "remove", "Nobody")
    #expect(failed.status == 65 && !failed.error.isEmpty)
    let told = try device.run("-v", "contacts", "remove", "Nobody").error
    #expect(told.contains("(code not_found, exit status 65)"))
    #expect(told.contains("Data: \(device.home)\nServer: not set\n"))
  }

  @Test func `an alert is reported even with --quiet, so that silence never means success`() throws {
    let device = try TestDevice()
    let raised = try device.run("sos", "-yq")
    #expect(raised.status == 0 && raised.output.contains("SAVED") && raised.output.contains("NOT SENT"))
    #expect(try device.run("alert", "status", "-q").output.contains("ALERT ACTIVE"))
    #expect(try device.run("alert", "deactivate", "-yq").output.contains("ENDED"))
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can be a user whom the system does not list"),
    arguments: [
      (["sos", "--yes"], "NOT raised: ", "\nCall for help another way now.\n"),
      (["sos", "--yes", "--drill"], "NOT raised: ", "pass --home\n"),
      (["alert", "deactivate", "--yes"], "NOT ended: ", "pass --home\n"),
    ])
  func `without a home the alert is reported as neither raised nor ended`(
    words: [String], start: String, end: String
  ) throws {
    let outcome = try TestDevice().shell(
      "unset HOME LIFESIGNAL_HOME XDG_DATA_HOME; exec setpriv --reuid=54321 --clear-groups \"$LIFESIGNAL\" "
        + words.joined(separator: " "))
    #expect(outcome.status == 73)
    #expect(outcome.error.hasPrefix("lifesignal: " + start + "no folder"), "\(outcome.error)")
    #expect(outcome.error.hasSuffix(end), "\(outcome.error)")
  }

  @Test func `a contact without a channel gets a warning`() throws {
    let device = try TestDevice()
    let mute = try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--responder")
    #expect(mute.output.contains("--channel"))
    let idle = try device.run("contacts", "add", "+12025550144", "--name", "Ben")
    #expect(idle.output.contains("--responder"))
  }

  @Test func `the queue is listed, exported with bodies and discarded`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync", "--message", "here")
    let queue = try device.run("queue", "list", "--json").jsonLines()
    #expect(try queue.map { try $0.string("kind") } == ["alert.activate", "notification.activated"])
    #expect(try queue[0].string("lane") == "emergency")
    #expect(queue[0].isNull("parked"))
    let export = try device.run("queue", "export").jsonLines()
    #expect(try export[0].object("body").string("message") == "here")
    let discarded = try device.run("queue", "discard", queue[0].string("id"), "--yes", "--json").jsonLines()
    #expect(discarded.count == 2)
    #expect(try device.run("queue", "list").output.contains("Nothing is queued"))
  }

  @Test func `a sync before sign-in is refused and leaves the queue alone`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync")
    let outcome = try device.run("sync")
    #expect(outcome.status == 77)
    #expect(outcome.error.contains("lifesignal sign-in"))
    #expect(outcome.error.contains("stays safe"))
    #expect(try device.run("sync", "--json").jsonError().string("code") == "not_signed_in")
    #expect(try device.run("alert", "status", "--json").json().object("sync").integer("pending") == 2)
    #expect(try device.run("sign-out").status == 77)
  }

  @Test func `signing in without a server says what to set`() throws {
    let outcome = try TestDevice().run("sign-in", "+12025550123")
    #expect(outcome.status == 75)
    #expect(outcome.error.contains("lifesignal config set endpoint"))
  }

  @Test func `a sign-in without a reachable server can be repeated later`() throws {
    let device = try TestDevice()
    try device.run("config", "set", "endpoint", "http://127.0.0.1:1")
    let outcome = try device.run("sign-in", "+12025550123")
    #expect(outcome.status == 75)
    #expect(outcome.error.contains("cannot be reached"))
  }

  @Test func `the doctor does not count on a responder whom the last alert did not reach`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.signIn(at: server)
    let zed = ["contacts", "add", "+12025550155", "--name", "Zed", "--responder", "--channel"]
    try #require(try device.run(zed + ["mailto:zed@example.org"]).status == 0)
    func words() throws -> String { try device.run("doctor").output }
    #expect(try words().contains("warn  Zed has not been tested: an alert may not reach them"))
    try #require(try device.run("sos", "--yes").output.contains("FAILED"))
    #expect(try words().contains("FAIL  this server cannot send over any channel of Zed"))
    #expect(try !words().contains("has not been tested"))
  }

  @Test func `the doctor finds what is missing, and says how to fix it`() throws {
    let outcome = try TestDevice().run("doctor", "--json")
    #expect(outcome.status == 69)
    let findings = try outcome.jsonLines()
    func states(_ check: String) throws -> [String] {
      try findings.filter { try $0.string("check") == check }.map { try $0.string("state") }
    }
    #expect(try states("store") == ["ok"])
    #expect(try states("permissions") == ["ok"])
    #expect(try states("endpoint") == ["fail"])
    #expect(try states("session") == ["fail"])
    #expect(try states("responders") == ["fail"])
    #expect(try states("worker") == ["warn"])
    for finding in findings where try finding.string("state") == "fail" {
      #expect(try !finding.string("fix").isEmpty)
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func `the completion script is one that the shell can read`(
    shell: String
  ) throws {
    let device = try TestDevice()
    let program = ["/bin/", "/usr/bin/"].map { $0 + shell }.first { FileManager.default.isExecutableFile(atPath: $0) }
    let script = try device.run("completions", shell)
    #expect(script.status == 0)
    #expect(script.output.contains("activate"))
    guard let program else { return }
    let path = device.folder.path("script")
    try Data(script.output.utf8).write(to: URL(fileURLWithPath: path))
    let checked = try device.shell("\(program) -n \(path)")
    #expect(checked.status == 0, "\(checked.error)")
  }
}
