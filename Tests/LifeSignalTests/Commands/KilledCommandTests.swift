import Foundation
import Glibc
import TestSupport
import Testing

/// The promises I1 and I2, with the real program killed at moments that nobody chose.
@Suite(.timeLimit(.minutes(5))) struct `A killed command` {
  private static let attempts = 150

  @Test func `raising an alert leaves nothing, or one alert with its mutation and its request`() throws {
    let seed = UInt64(truncatingIfNeeded: Int(Date().timeIntervalSince1970 * 1000))
    var random = SeededRandom(seed: seed)
    // At least 5 ms, and so long that some get through on this machine.
    let limit = max(5_000_000, 2 * (try undisturbedNanoseconds()))
    var remaining = Self.attempts
    while remaining > 0 {
      let device = try Device()
      // Most homes are used again, so that what one left is what the next finds.
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

  private func check(_ device: Device, _ ends: [KilledProgram.End], _ place: String) throws {
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
      // A call that was made again after a kill is an update of the first.
      let kinds = try items.map { try $0.string("kind") }.filter { $0 != "alert.update" }.sorted()
      #expect(kinds == ["alert.activate", "notification.activated"], "\(place): \(queue.output)")
      let ids = Set(try items.map { try $0.string("entity_id") })
      #expect(try ids == [alerts[0].string("id")], "\(place): \(queue.output)")
    }
  }

  private func undisturbedNanoseconds() throws -> UInt64 {
    let device = try Device()
    let start = KilledProgram.nanoseconds()
    let end = try KilledProgram(device, ["alert", "activate", "--yes", "--no-sync"]).killed(afterNanoseconds: .max)
    #expect(end.status == 0)
    #expect(end.output.contains("SAVED"))
    return KilledProgram.nanoseconds() - start
  }
}

/// A run of the command line that is killed.
private struct KilledProgram {
  struct End {
    /// Nil where the kill was in time.
    let status: Int32?
    let output: String
  }

  private let process: pid_t
  private let outputPath: String

  init(_ device: Device, _ arguments: [String]) throws {
    outputPath = device.folder.path("output-" + UUID().uuidString)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let command = ([Programs.lifesignal] + arguments).map { strdup($0) } + [nil]
    let environment = device.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in command + environment { free(text) } }
    var process = pid_t()
    try #require(posix_spawn(&process, Programs.lifesignal, &actions, nil, command, environment) == 0)
    self.process = process
  }

  /// Kills it after that time on the clock, which is spun away: a sleep is too coarse. `max`: lets it run.
  func killed(afterNanoseconds delay: UInt64) throws -> End {
    if delay < .max {
      let end = Self.nanoseconds() + delay
      while Self.nanoseconds() < end {}
      kill(process, SIGKILL)
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { try #require(errno == EINTR) }
    let output = (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? ""
    return End(status: status & 0x7F == 0 ? status >> 8 & 0xFF : nil, output: output)
  }

  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
