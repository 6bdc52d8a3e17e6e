import ChildPrograms
import Foundation
import ProgramTesting
import Testing

@Suite(.blocking) struct `With closed descriptors of the caller` {
  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "| true", ">/dev/full"])
  func `an alert is saved, and the status says so`(redirection: String) throws {
    let device = try TestDevice()
    let line = "\"$LIFESIGNAL\" alert activate --yes --no-sync \(redirection)"
    let outcome = try device.shell("set -o pipefail; " + line, program: "/bin/bash")
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(try device.run("alert", "status", "--json").json().boolean("active"))
    #expect(try device.run("doctor", "--json").output.contains("the data is sound"))
  }

  @Test func `a closed pipe is no error, and a full disk is one`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync")
    let gone = try device.shell(
      "set -o pipefail; \"$LIFESIGNAL\" alert history | true", program: "/bin/bash")
    #expect(gone.status == 0)
    let full = try device.shell("\"$LIFESIGNAL\" alert history >/dev/full")
    #expect(full.status == 74)
    #expect(full.error.contains("NOT written: the output failed"))
  }

  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
  func `no output goes into a file that got a closed descriptor's number`(redirection: String) throws {
    let device = try TestDevice()
    _ = try device.shell("\"$LIFESIGNAL\" alert activate --yes --no-sync \(redirection)")
    for name in device.folder.names(in: "home") {
      let bytes = try #require(FileManager.default.contents(atPath: device.home + "/" + name))
      #expect(bytes.range(of: Data("on this device".utf8)) == nil, "\(name)")
    }
  }
}
