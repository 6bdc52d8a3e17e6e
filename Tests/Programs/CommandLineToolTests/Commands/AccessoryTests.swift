import ChildPrograms
import Foundation
import ProgramTesting
import Testing

@testable import CommandLineTool

/// Extras of a call for help never block it.
@Suite(.blocking) struct `A call for help` {
  static let accessories: [([String], String)] = [
    (["--location", "91,0"], "Location: 91,0"),
    (["--location", "here, by the river"], "Location: here, by the river"),
    (["--message", String(repeating: "a", count: 1001)], String(repeating: "a", count: 999) + "…"),
    (["--message", "fell", "--location", "nowhere"], "fell\nLocation: nowhere"),
    (["--location", "1,2", "--location", "3,4"], "Location: 3,4"),
    (["fell", "--location"], "fell"),
  ]
  /// Words as a shell passes them if somebody in a hurry did not quote them, or a script's variable is empty.
  static let words: [([String], String?)] = [
    (["fell", "on", "the", "ridge"], "fell on the ridge"),
    (["--message", "fell", "on", "the", "ridge"], "fell on the ridge"),
    (["--message", "fell", "--message", "cannot walk"], "fell cannot walk"),
    (["--message"], nil), (["--message", "--json"], nil), (["--message", ""], nil),
  ]

  @Test(arguments: words) func `is raised with all the words`(arguments: [String], message: String?) throws {
    let outcome = try TestDevice().run(["alert", "activate", "--yes", "--no-sync"] + arguments + ["--json"])
    #expect(outcome.status == 0, "\(outcome)")
    let alert = try outcome.json().object("alert")
    if let message { #expect(try alert.string("message") == message) } else { #expect(alert.isNull("message")) }
  }

  @Test(arguments: accessories) func `is raised with unreadable options in its message, and a warning`(
    arguments: [String], message: String
  ) throws {
    let device = try TestDevice()
    let outcome = try device.run(["alert", "activate", "--yes", "--no-sync", "--json"] + arguments)
    #expect(outcome.status == 0)
    #expect(try outcome.json().object("alert").string("message") == message)
    let plain = try TestDevice().run(["alert", "activate", "--yes", "--no-sync"] + arguments)
    #expect(plain.status == 0 && plain.output.contains("SAVED") && plain.error.contains("WARNING:"))
  }

  @Test func `keeps the whole location if the message is too long`() throws {
    let words = String(repeating: "a", count: 1500)
    let outcome = try TestDevice().run(
      ["alert", "activate", "--yes", "--no-sync", "--json", "--message", words, "--location", "by the river"])
    let message = try outcome.json().object("alert").string("message")
    #expect(message.count <= 1000 && message.hasSuffix("Location: by the river"))
  }

  @Test(arguments: [["sos"], ["activate"], ["help", "me"], ["Help", "ME"], ["SOS"], ["--json", "sos"]])
  func `is raised by every obvious word`(words: [String]) throws {
    let device = try TestDevice()
    let outcome = try device.run(
      words + ["--yes", "--no-sync", "--message", "now", "--json"].filter { !words.contains($0) })
    #expect(outcome.status == 0)
    #expect(try device.run("alert", "status", "--json").json().boolean("active"))
  }

  @Test(arguments: [["sos"], ["activate"], ["help", "me"], ["alert", "activate"]])
  func `says first that none was raised, if the usage was wrong`(words: [String]) throws {
    let device = try TestDevice()
    for wrong in [["--nonsense"], []] {
      let outcome = try device.run(words + wrong)
      #expect(outcome.status == 64)
      #expect(outcome.error.hasPrefix("lifesignal: NOT raised:"), "\(outcome.error)")
    }
    #expect(try !device.run("alert", "status", "--json").json().boolean("active"))
  }

  @Test func `is recognized after the options of every command`() {
    for options in [["--home", "help"], ["--home=x", "--json"], ["-h"], ["--"]] {
      #expect(EmergencyWords.replaced(in: options + ["HELP", "me", "--yes"]) == options + ["sos", "--yes"])
    }
    for others in [["help"], ["help", "sos"], ["help", "--home", "me"], ["--home", "sos"], []] {
      #expect(EmergencyWords.replaced(in: others) == others)
    }
  }

  @Test(arguments: [["mayday"], ["alert"], ["alert", "start"], []])
  func `is explained after an unknown command`(words: [String]) throws {
    let outcome = try TestDevice().run(words)
    #expect(outcome.status == 64 && outcome.error.hasSuffix("To raise an alert now: lifesignal sos\n"), "\(outcome)")
  }

  @Test func `alone is an explanation`() throws {
    #expect(try TestDevice().run("help").output.contains("lifesignal"))
  }
}
