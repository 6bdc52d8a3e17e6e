import Foundation
import Testing

/// What comes with a call for help never keeps it back.
@Suite struct `A call for help` {
  static let accessories: [([String], String)] = [
    (["--location", "91,0"], "Location: 91,0"),
    (["--location", "here, by the river"], "Location: here, by the river"),
    (["--message", String(repeating: "a", count: 1001)], String(repeating: "a", count: 999) + "…"),
    (["--message", "fell", "--location", "nowhere"], "fell\nLocation: nowhere"),
  ]

  @Test(arguments: accessories) func `is raised with what cannot be read in its message, and a warning`(
    arguments: [String], message: String
  ) throws {
    let device = try Device()
    let outcome = try device.run(["alert", "activate", "--yes", "--no-sync", "--json"] + arguments)
    #expect(outcome.status == 0)
    #expect(try outcome.json().object("alert").string("message") == message)
    let plain = try Device().run(["alert", "activate", "--yes", "--no-sync"] + arguments)
    #expect(plain.status == 0 && plain.output.contains("SAVED") && plain.error.contains("WARNING:"))
  }

  @Test func `keeps the place whole where the words are too long`() throws {
    let words = String(repeating: "a", count: 1500)
    let outcome = try Device().run(
      ["alert", "activate", "--yes", "--no-sync", "--json", "--message", words, "--location", "by the river"])
    let message = try outcome.json().object("alert").string("message")
    #expect(message.count <= 1000 && message.hasSuffix("Location: by the river"))
  }

  @Test(arguments: [["sos"], ["activate"], ["help", "me"], ["Help", "ME"], ["--json", "sos"]])
  func `is raised by the first word that comes to mind`(words: [String]) throws {
    let device = try Device()
    let outcome = try device.run(
      words + ["--yes", "--no-sync", "--message", "now", "--json"].filter { !words.contains($0) })
    #expect(outcome.status == 0)
    #expect(try device.run("alert", "status", "--json").json().boolean("active"))
  }

  @Test(arguments: [["sos"], ["activate"], ["help", "me"], ["alert", "activate"]])
  func `says first that none was raised, where it was called wrongly`(words: [String]) throws {
    let device = try Device()
    for wrong in [["--nonsense"], []] {
      let outcome = try device.run(words + wrong)
      #expect(outcome.status == 64)
      #expect(outcome.error.hasPrefix("lifesignal: NOT raised:"), "\(outcome.error)")
    }
    #expect(try !device.run("alert", "status", "--json").json().boolean("active"))
  }

  @Test func `alone, help explains`() throws {
    #expect(try Device().run("help").output.contains("lifesignal"))
  }
}
