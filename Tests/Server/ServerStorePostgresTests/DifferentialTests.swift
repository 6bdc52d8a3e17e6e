import ChildPrograms
import ServerCore
import Simulator
import TestSupport
import Testing

@testable import ServerStorePostgres

/// What the server is asked for in simulated runs, call by call, on both stores.
///
/// Where an alert's end makes several messages due in the same millisecond, a store may send them in an order of its own: of the first 16
/// seeds that happens in 4, 12 and 15.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct DifferentialTests {
  @Test(arguments: [1, 2, 3, 5, 6, 7])
  func `both stores answer every call of a run alike`(seed: UInt64) throws {
    var simulation = Simulation(seed: seed, minutes: 10)
    simulation.keepsServerHistory = true
    let history = try #require(ScratchFolder.with { simulation.run(in: $0 + "/run") }.serverHistory)
    try #require(history.calls.count > 50, "the run asked too little: \(history.calls.count)")
    let subject = try PostgresSubject()
    let store = subject.store
    let core = ServerCore(
      configuration: history.configuration, keys: try ServerKeys.load(from: store, at: history.start))
    for (number, call) in history.calls.enumerated() {
      let told = try call.made(with: core, in: store)
      // Not in one expression: it would print both texts.
      let isSame = told == call.told
      try #require(isSame, "call \(number) of \(history.calls.count), \(call.what): \(difference(told, call.told))")
    }
    // Its database goes with it.
    withExtendedLifetime(subject) {}
  }

  /// What stands around the first place where they differ.
  private func difference(_ one: String, _ other: String) -> String {
    let same = zip(one, other).prefix { $0 == $1 }.count
    return
      "\(one.dropFirst(max(0, same - 100)).prefix(200))\ninstead of\n\(other.dropFirst(max(0, same - 100)).prefix(200))"
  }
}
