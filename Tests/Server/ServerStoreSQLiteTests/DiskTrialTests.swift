import PlantedBugs
import Simulator
import Testing

/// Some of the trials of `lifesignal-simulate disks --store server`; all of them are for that command.
@Suite struct `The server's store on a bad disk` {
  private typealias Trials = DiskCampaign<ServerSubject>

  @Test func `keeps its word whichever operation fails`() throws {
    let report = try Trials.sample(.fault, seed: 1, count: 100)
    #expect(report.told == [])
    #expect(report.ioFaults > 80)
  }

  @Test func `keeps its word when the power is cut`() throws {
    let report = try Trials.sample(.cut, seed: 2, every: 9)
    #expect(report.told == [])
    #expect(report.powerCuts > 50)
    #expect(report.writesLost > 50 && report.writesTorn > 10)
  }

  @Test func `keeps its word when its recovery is hurt too`() throws {
    let report = try Trials.sample(.compound, seed: 3, every: 23)
    #expect(report.told == [])
    #expect(report.compoundFaults > 20)
  }

  @Test func `loses commits where they are not synced, and the trial sees it`() throws {
    let report = try PlantedBug.plant(.walWithNormal) {
      try Trials.sample(.cut, seed: 2, every: 4, violationLimit: 3)
    }
    #expect(report.kinds.contains(.lostCommit))
  }

  @Test func `answers before it commits, and the trial sees it`() throws {
    let report = try PlantedBug.plant(.answeredBeforeCommit) {
      try Trials.sample(.cut, seed: 2, every: 1, violationLimit: 1)
    }
    #expect(report.kinds.contains(.lostCommit))
  }
}
