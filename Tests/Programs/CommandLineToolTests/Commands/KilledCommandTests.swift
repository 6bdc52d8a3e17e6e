import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import TestSupport
import Testing

/// The promises I1 and I2, with the real program killed at random moments.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `A killed command` {
  private static let attempts = 150

  @Test func `raising an alert leaves nothing, or one alert with its mutation and its request`() throws {
    let seed = UInt64(truncatingIfNeeded: Int(Date().timeIntervalSince1970 * 1000))
    var random = SeededRandom(seed: seed)
    // At least 5 ms, and long enough for some to succeed on this machine.
    let limit = max(5_000_000, 2 * (try undisturbedNanoseconds()))
    var remaining = Self.attempts
    while remaining > 0 {
      let device = try TestDevice()
      // Most homes are reused, so that each run finds what the last one left.
      let count = min(remaining, Int(random.next() % 5) + 1)
      remaining -= count
      var ends: [KilledProgram.End] = []
      for _ in 0..<count {
        let program = try KilledProgram(device, ["alert", "activate", "--yes", "--no-sync"])
        ends.append(try program.killed(afterNanoseconds: random.next() % limit))
      }
      try check(device, ends, "seed \(seed), \(remaining) of \(Self.attempts) left")
    }
  }

  private func check(_ device: TestDevice, _ ends: [KilledProgram.End], _ place: String) throws {
    let history = try device.run("alert", "history", "--json")
    let queue = try device.run("queue", "list", "--json")
    try #require(history.status == 0 && queue.status == 0, "\(place): \(history.error) \(queue.error)")
    let alerts = try history.jsonLines(), items = try queue.jsonLines()
    if alerts.isEmpty {
      #expect(items.isEmpty, "\(place): \(queue.output)")
      for end in ends {
        #expect(end.status != 0, "\(place): it said that it is saved by its status")
        #expect(!end.output.contains("SAVED") && !end.output.contains("ACTIVE"), "\(place): \(end.output)")
      }
    } else {
      try #require(alerts.count == 1, "\(place): \(history.output)")
      // A call repeated after a kill is an update of the first.
      let kinds = try items.map { try $0.string("kind") }.filter { $0 != "alert.update" }.sorted()
      #expect(kinds == ["alert.activate", "notification.activated"], "\(place): \(queue.output)")
      let ids = Set(try items.map { try $0.string("entity_id") })
      #expect(try ids == [alerts[0].string("id")], "\(place): \(queue.output)")
    }
  }

  private func undisturbedNanoseconds() throws -> UInt64 {
    let device = try TestDevice()
    let start = KilledProgram.nanoseconds()
    let end = try KilledProgram(device, ["alert", "activate", "--yes", "--no-sync"]).killed(afterNanoseconds: .max)
    #expect(end.status == 0)
    #expect(end.output.contains("SAVED"))
    return KilledProgram.nanoseconds() - start
  }
}

/// A run of the command line that gets killed.
private struct KilledProgram {
  struct End {
    /// Nil if the kill was in time.
    let status: Int32?
    let output: String
  }

  private let program: ChildProgram
  private let outputPath: String

  init(_ device: TestDevice, _ arguments: [String]) throws {
    outputPath = device.folder.path("output-" + UUID().uuidString)
    try Data().write(to: URL(fileURLWithPath: outputPath))
    let output = try FileHandle(forUpdating: URL(fileURLWithPath: outputPath))
    program = try ChildProgram(
      Programs.lifesignal, arguments, environment: device.environment, output: .file(output))
    try output.close()
  }

  /// Kills it after this time by busy waiting, since a sleep is too coarse. `max`: never.
  func killed(afterNanoseconds delay: UInt64) throws -> End {
    if delay < .max {
      let end = Self.nanoseconds() + delay
      while Self.nanoseconds() < end {}
      program.signal(SIGKILL)
    }
    let end = try program.waitForEnd()
    let output = try String(contentsOfFile: outputPath, encoding: .utf8)
    guard case .status(let status) = end else { return End(status: nil, output: output) }
    return End(status: status, output: output)
  }

  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
