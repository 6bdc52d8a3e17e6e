import ChildPrograms
import Foundation
import PlantedBugs
import TestSupport
import Testing

@testable import Simulator

/// A run's seed identifies it: two runs of one seed have identical traces (promise I9).
@Suite(.computing) struct `The same seed` {
  private func trace(_ seed: UInt64, _ bug: PlantedBug? = nil) -> Trace {
    var simulation = Simulation(seed: seed, devices: 3)
    simulation.bug = bug
    return ScratchFolder.with { simulation.run(in: "\($0)/run").trace }
  }

  @Test(arguments: ThreadSanitizer.cases([3, 7, 12] as [UInt64]))
  func `gives the same run twice in one process`(_ seed: UInt64) {
    let first = trace(seed)
    let second = trace(seed)
    #expect(first.lineCount > 20)
    #expect(first.lineCount == second.lineCount)
    #expect(first.hash == second.hash)
  }

  @Test func `gives a different run with a planted bug`() {
    #expect((3...12).contains { trace($0).hash != trace($0, .newIDOnRetry).hash })
  }

  /// Hashing is seeded per process, so a dependence on the order of a set or dictionary would show.
  @Test(arguments: ThreadSanitizer.cases([3, 7] as [UInt64]))
  func `gives the same run in two processes`(_ seed: UInt64) throws {
    let first = try line("--seed", String(seed), "--devices", "3")
    #expect(try line("--seed", String(seed), "--devices", "3") == first)
    let here = trace(seed)
    #expect(first == "seed \(seed) trace \(here.hash.text) lines \(here.lineCount)")
  }

  /// Runs the program, and returns its line with the trace.
  private func line(_ arguments: String...) throws -> String {
    let folder = ScratchFolder()
    let path = "\(folder.path)/output"
    writeFile([], path)
    let output = try #require(FileHandle(forWritingAtPath: path))
    let program = try ChildProgram(Self.program, arguments, output: .file(output))
    try #require(try program.waitForEnd() == .status(0))
    let text = String(decoding: try #require(readFile(path)), as: UTF8.self)
    return String(try #require(text.split(separator: "\n").first { $0.hasPrefix("seed ") }))
  }

  private static var program: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("lifesignal-simulate").path
  }
}
