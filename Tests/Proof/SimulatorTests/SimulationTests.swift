import ChildPrograms
import Foundation
import TestSupport
import Testing

@testable import Simulator

@Suite(.computing) struct `Whole runs` {
  /// Runs seeds in a folder of their own, and returns the broken promises.
  private func broken(_ seeds: ClosedRange<UInt64>, exchangeItems: Int? = nil) -> [String] {
    ScratchFolder.with { folder in
      seeds.flatMap { seed in
        var simulation = Simulation(seed: seed)
        simulation.exchangeItems = exchangeItems
        return simulation.run(in: "\(folder)/run").violations.map {
          "lifesignal-simulate --seed \(seed): \($0.promise.rawValue) \($0.text)"
        }
      }
    }
  }

  /// A few: `tools/torture simulate` runs as many as there is time for.
  @Test(arguments: ThreadSanitizer.cases([1...6, 7...12] as [ClosedRange<UInt64>]))
  func `keep every promise`(seeds: ClosedRange<UInt64>) {
    #expect(broken(seeds) == [])
  }

  /// Thousands of runs in one process would use up its files, and the memory that holds them.
  @Test func `leave no file open`() throws {
    let folder = ScratchFolder()
    _ = Simulation(seed: 1).run(in: "\(folder.path)/run")
    let files = FileManager.default
    let open = try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(open.filter { $0.hasPrefix(folder.path) } == [])
  }

  /// Where exchanges carry two items each, they follow one another as those of a long queue do.
  @Test func `keep every promise with short exchanges`() {
    #expect(broken(1...4, exchangeItems: 2) == [])
  }

  struct FixedBug: CustomTestStringConvertible {
    let seed: UInt64
    var devices: Int?
    var minutes = 10
    let mistake: String

    var testDescription: String { "\(seed): \(mistake)" }
  }

  /// Seeds that once found a bug. The simulated world has changed since, so they may no longer reach that bug. Each fix
  /// also has its own test next to the fixed code.
  static let fixedBugs = [
    FixedBug(seed: 12, mistake: "nothing woke a device whose event stream died together with its token"),
    FixedBug(seed: 23, mistake: "a duplicate's result counted as a contact's newest state"),
    FixedBug(seed: 72, mistake: "a late copy of a repeated refresh ended the session"),
    FixedBug(seed: 883, mistake: "a battery level that a restored server named took back an end that it had lost"),
    FixedBug(seed: 74, mistake: "a restore lost an alert that the alert key had brought"),
    FixedBug(seed: 94, mistake: "a drill from the spool that met a real alert counted as lost"),
    FixedBug(seed: 145, mistake: "each change of addresses replaced an attempt that moved bytes on a slow line"),
    FixedBug(seed: 156, mistake: "a device that had missed changes mistook a restored server for the old one"),
    FixedBug(seed: 169, mistake: "a device fetched at each of its server's announcements for half an hour"),
    FixedBug(seed: 202, mistake: "an end that was refused for a newer call and made again counted as lost"),
    FixedBug(seed: 341, mistake: "an end withdrawn by its device counted as lost when another device's was accepted"),
    FixedBug(seed: 490, mistake: "an end withdrawn by its device and made again counted as lost"),
    FixedBug(seed: 664, mistake: "whoever withdrew left another one trusted beyond the 25 minutes of their own answer"),
    FixedBug(seed: 621, mistake: "a place that a device dropped with a refused one counted as lost"),
    FixedBug(seed: 739, mistake: "news from before an end took it back once a command had sent it"),
    FixedBug(seed: 732, mistake: "each pass of a resubmission offered ends again that the alert key had sent"),
    FixedBug(seed: 1374, mistake: "a message counted as saved although nobody had been told that it is"),
    FixedBug(seed: 1441, mistake: "an end withdrawn by its device counted as dropped once another one arrived"),
    FixedBug(seed: 2406, mistake: "an alert cancelled the token refresh that it waited for"),
    FixedBug(seed: 1789, mistake: "news that a standstill had held back took back an end made since"),
    FixedBug(seed: 2785, mistake: "a server restored twice returned to an epoch, and lacked an alert permanently"),
    FixedBug(seed: 2951, mistake: "the run ended before the hour that a channel had asked to wait"),
    FixedBug(seed: 3106, mistake: "an alert on a dead connection was resent on the next dead one"),
    FixedBug(seed: 3386, mistake: "an end withdrawn by its device counted as dropped once it was made again"),
    FixedBug(seed: 3463, mistake: "a row got the id of another call and kept its own message"),
    FixedBug(seed: 3545, mistake: "an alert waited for an unanswered attempt of another one"),
    FixedBug(seed: 5007, mistake: "an older message in the spool won after the clock had been set back"),
    FixedBug(seed: 6516, devices: 2, minutes: 2, mistake: "an alert raised during a sign-out went to the next account"),
    FixedBug(
      seed: 36945, devices: 2, minutes: 2, mistake: "the worker missed a sign-in that was killed before it poked"),
    FixedBug(seed: 77137, devices: 3, minutes: 2, mistake: "the disk failed at the only read of the spool"),
  ]

  @Test(arguments: ThreadSanitizer.cases(fixedBugs))
  func `keep every promise with seeds that once found a bug`(_ bug: FixedBug) {
    let simulation = Simulation(seed: bug.seed, devices: bug.devices, minutes: bug.minutes)
    let outcome = ScratchFolder.with { simulation.run(in: "\($0)/run") }
    #expect(outcome.violations == [], "\(bug.mistake)")
  }

  @Test func `differ from each other`() {
    let outcomes = ScratchFolder.with { folder in
      (1...6).map { Simulation(seed: $0).run(in: "\(folder)/run") }
    }
    #expect(Set(outcomes.map(\.trace.hash)).count == outcomes.count)
    #expect(outcomes.contains { $0.faults > 20 })
    #expect(outcomes.contains { $0.messages > 0 })
  }
}
