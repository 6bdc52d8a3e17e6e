import TestSupport
import Testing

@testable import Simulator

@Suite struct `Whole runs` {
  /// Runs seeds in a folder of their own and gives what was broken.
  private func broken(_ seeds: ClosedRange<UInt64>) -> [String] {
    ScratchFolder.with { folder in
      seeds.flatMap { seed in
        Simulation(seed: seed).run(in: "\(folder)/run").violations.map {
          "lifesignal-simulate --seed \(seed): \($0.promise.rawValue) \($0.text)"
        }
      }
    }
  }

  @Test(arguments: [1...10, 11...20, 21...30] as [ClosedRange<UInt64>])
  func `keep every promise`(seeds: ClosedRange<UInt64>) {
    #expect(broken(seeds) == [])
  }

  struct Mended: CustomTestStringConvertible {
    let seed: UInt64
    var devices: Int?
    var minutes = 10
    let mistake: String

    var testDescription: String { "\(seed): \(mistake)" }
  }

  /// Seeds that once broke a promise, by what the engine did then. The world has changed since, and with it what they run
  /// through; what was wrong has a test of its own, beside the part that was mended.
  static let mended = [
    Mended(seed: 12, mistake: "nothing woke a device whose event stream died when its token was at its end"),
    Mended(seed: 23, mistake: "a repeated result was taken for the newest state of a contact"),
    Mended(seed: 72, mistake: "a late copy of a refresh that had been asked for again ended the session"),
    Mended(seed: 74, mistake: "an alert that the alert key brought was lost when the server was restored"),
    Mended(seed: 94, mistake: "a drill that came out of the spool and met a real alert counted as lost"),
    Mended(
      seed: 156, mistake: "a device that had not heard of all took a restored server for the old one"),
    Mended(
      seed: 169, mistake: "a device fetched at each of its server's announcements for half an hour"),
    Mended(
      seed: 202, mistake: "an end that was refused for a newer call and made again counted as lost"),
    Mended(seed: 341, mistake: "an end taken back by its device counted as lost, where another one's was taken"),
    Mended(seed: 490, mistake: "an end that a device took back itself, and that was made again, counted as lost"),
    Mended(seed: 732, mistake: "ends sent by the alert key alone were offered again by each pass of a resubmission"),
    Mended(seed: 1374, mistake: "words counted as saved that nobody had been told are"),
    Mended(seed: 1441, mistake: "an end taken back by its device counted as dropped, once another one's was heard of"),
    Mended(seed: 2406, mistake: "an alert cut short the renewal of the token that it waited for"),
    Mended(seed: 2785, mistake: "a server restored twice came back to an epoch, and lacked an alert for good"),
    Mended(seed: 2951, mistake: "the run ended before the hour for which a channel had asked"),
    Mended(seed: 3106, mistake: "an alert whose connection was dead was sent on the next dead one"),
    Mended(seed: 3386, mistake: "an end taken back by its device counted as dropped, once it was made again"),
    Mended(seed: 3463, mistake: "a row got the id of another call and kept its own words"),
    Mended(seed: 3545, mistake: "an alert waited for an attempt of another one that nobody answered"),
    Mended(seed: 5007, mistake: "of calls in the spool the older words won, since the clock had been set back"),
    Mended(
      seed: 6516, devices: 2, minutes: 2, mistake: "an alert raised in a sign-out went to the next account"),
    Mended(
      seed: 36945, devices: 2, minutes: 2, mistake: "a sign-in was killed before it told, and the worker stayed deaf"),
    Mended(
      seed: 77137, devices: 3, minutes: 2, mistake: "the disk failed at the only look into the spool"),
  ]

  @Test(arguments: mended)
  func `keep every promise where one was broken once`(_ mended: Mended) {
    let simulation = Simulation(seed: mended.seed, devices: mended.devices, minutes: mended.minutes)
    let outcome = ScratchFolder.with { simulation.run(in: "\($0)/run") }
    #expect(outcome.violations == [], "\(mended.mistake)")
  }

  @Test func `do not all look alike`() {
    let outcomes = ScratchFolder.with { folder in
      (1...6).map { Simulation(seed: $0).run(in: "\(folder)/run") }
    }
    #expect(Set(outcomes.map(\.trace.hash)).count == outcomes.count)
    #expect(outcomes.contains { $0.faults > 20 })
    #expect(outcomes.contains { $0.messages > 0 })
  }
}
