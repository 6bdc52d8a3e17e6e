import ChildPrograms
import PlantedBugs
import Simulator
import Testing

/// Runs some of the trials of `lifesignal-simulate disks --store server`; that command runs all of them.
@Suite(.computing) struct `The server's store on a bad disk` {
  private typealias Trials = DiskCampaign<ServerSubject>

  @Test func `keeps its promises whichever operation fails`() throws {
    let report = try Trials.sample(.fault, seed: 1, count: 100)
    #expect(report.told == [])
    #expect(report.ioFaults > 80)
  }

  @Test func `keeps its promises when the power is cut`() throws {
    let report = try Trials.sample(.cut, seed: 2, every: 9)
    #expect(report.told == [])
    #expect(report.powerCuts > 50)
    #expect(report.writesLost > 50 && report.writesTorn > 10)
  }

  @Test func `keeps its promises when its recovery fails too`() throws {
    let report = try Trials.sample(.compound, seed: 3, every: 23)
    #expect(report.told == [])
    #expect(report.compoundFaults > 20)
  }

  @Test func `loses commits that are not synced, and the trial detects it`() throws {
    let report = try PlantedBug.plant(.walWithNormal) {
      try Trials.sample(.cut, seed: 2, every: 4, violationLimit: 3)
    }
    #expect(report.kinds.contains(.lostCommit))
  }

  @Test func `answers before it commits, and the trial detects it`() throws {
    let report = try PlantedBug.plant(.answeredBeforeCommit) {
      try Trials.sample(.cut, seed: 2, every: 1, violationLimit: 1)
    }
    #expect(report.kinds.contains(.lostCommit))
  }
}
