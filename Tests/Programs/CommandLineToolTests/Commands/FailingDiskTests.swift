import ChildPrograms
import Foundation
import ProgramTesting
import Testing

@Suite(.blocking) struct `A failing disk` {
  @Test func `a folder that cannot be made means NOT saved`() throws {
    let device = try TestDevice()
    // No folder can be created below a regular file, not even by root.
    let file = device.folder.path("file")
    try Data().write(to: URL(fileURLWithPath: file))
    let outcome = try device.run("alert", "activate", "--yes", "--no-sync", "--home", file + "/home")
    #expect(outcome.status == 73)
    #expect(outcome.error.contains("NOT saved"))
    #expect(outcome.output.isEmpty)
    let json = try device.run("alert", "activate", "--yes", "--json", "--home", file + "/home")
    #expect(json.status == 73)
    #expect(try json.jsonError().string("message").contains("NOT saved"))
    let contact = try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--home", file + "/home")
    #expect(contact.status == 73)
  }

  @Test func `if the store cannot be opened, the alert is spooled, and the next run imports it`() throws {
    let device = try TestDevice()
    // A folder in place of the store's file can neither be opened nor set aside as damaged.
    try FileManager.default.createDirectory(
      atPath: device.home + "/store.sqlite/blocked", withIntermediateDirectories: true)
    let raised = try device.run("alert", "activate", "--yes", "--json", "--message", "help")
    try #require(raised.status == 0, "\(raised.error)")
    #expect(try raised.json().boolean("spooled"))
    #expect(device.folder.names(in: "home/spool").count == 1)
    let id = try raised.json().object("alert").string("id")

    try FileManager.default.removeItem(atPath: device.home + "/store.sqlite")
    let status = try device.run("alert", "status", "--json")
    #expect(try status.json().object("alert").string("id") == id)
    #expect(try status.json().object("alert").string("message") == "help")
    #expect(device.folder.names(in: "home/spool").isEmpty)
  }

  @Test func `a damaged store is set aside, the alert is saved, and the person sees both`() throws {
    let device = try TestDevice()
    try device.run("alert", "activate", "--yes", "--no-sync")
    for name in ["store.sqlite-wal", "store.sqlite-shm"] {
      try FileManager.default.removeItem(atPath: device.home + "/" + name)
    }
    try Data(repeating: 0x5A, count: 20_000).write(to: URL(fileURLWithPath: device.home + "/store.sqlite"))
    let outcome = try device.run("alert", "activate", "--yes", "--no-sync")
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.output.contains("\nSAVED on this device at"))
    #expect(!outcome.error.isEmpty)
    #expect(device.folder.names(in: "home").contains { $0.hasPrefix("damaged-") })
  }
}
