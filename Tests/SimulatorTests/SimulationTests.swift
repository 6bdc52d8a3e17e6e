import Testing

@testable import Simulator

@Suite struct `Whole runs` {
  /// Runs seeds in a folder of their own and gives what was broken.
  private func broken(_ seeds: ClosedRange<UInt64>) -> [String] {
    let folder = ScratchFolder.make()
    defer { ScratchFolder.remove(folder) }
    return seeds.flatMap { seed in
      Simulation(seed: seed).run(in: "\(folder)/run").violations.map {
        "lifesignal-simulate --seed \(seed): \($0.promise.rawValue) \($0.text)"
      }
    }
  }

  @Test(arguments: [1...10, 11...20, 21...30] as [ClosedRange<UInt64>])
  func `keep every promise`(seeds: ClosedRange<UInt64>) {
    #expect(broken(seeds) == [])
  }

  @Test func `do not all look alike`() {
    let folder = ScratchFolder.make()
    defer { ScratchFolder.remove(folder) }
    let outcomes = (1...6).map { Simulation(seed: $0).run(in: "\(folder)/run") }
    #expect(Set(outcomes.map(\.trace.hash)).count == outcomes.count)
    #expect(outcomes.contains { $0.faults > 20 })
    #expect(outcomes.contains { $0.messages > 0 })
  }
}
