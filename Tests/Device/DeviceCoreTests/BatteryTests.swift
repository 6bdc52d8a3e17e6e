import Foundation
import ProgramTesting
import Testing

@testable import DeviceCore

@Suite struct `The battery` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func add(_ name: String, _ files: [String: String]) throws {
    let path = folder.path(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (file, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + file)) }
  }

  private var percent: Int? { Battery.percent(in: folder.path) }

  @Test func `is read where there is one`() throws {
    #expect(!Battery.mayBe(in: folder.path))
    try add("AC", ["type": "Mains\n", "online": "1\n"])
    #expect(percent == nil)
    #expect(Battery.mayBe(in: folder.path))
    try add("BAT0", ["type": "Battery\n", "capacity": "62\n"])
    #expect(percent == 62)
  }

  @Test func `of two is the mean, and those of a mouse or with nonsense do not count`() throws {
    try add("BAT0", ["type": "Battery\n", "capacity": "40\n", "scope": "System\n"])
    try add("BAT1", ["type": "Battery\n", "capacity": "61\n"])
    try add("mouse", ["type": "Battery\n", "capacity": "3\n", "scope": "Device\n"])
    try add("odd", ["type": "Battery\n", "capacity": "101\n"])
    try add("empty", ["type": "Battery\n"])
    try add("huge", ["type": "Battery\n", "capacity": String(repeating: "9", count: 9999)])
    #expect(percent == 50)
  }

  @Test func `is unknown without the kernel's folder`() {
    #expect(Battery.percent(in: folder.path("none")) == nil)
    #expect(!Battery.mayBe(in: folder.path("none")))
  }
}
