import ChildPrograms
import PlantedBugs
import Simulator
import Testing

/// A sample of the trials that `lifesignal-simulate disks --store device` runs in full.
@Suite(.computing) struct `The device's store on a bad disk` {
  private typealias Trials = DiskCampaign<DeviceSubject>

  @Test func `keeps its promises whichever operation fails`() throws {
    let report = try Trials.sample(.fault, seed: 1, count: 150)
    #expect(report.told == [])
    #expect(report.ioFaults > 120)
  }

  @Test func `keeps its promises when the power is cut`() throws {
    let report = try Trials.sample(.cut, seed: 2, every: 11)
    #expect(report.told == [])
    #expect(report.powerCuts > 80)
    #expect(report.writesLost > 50 && report.writesTorn > 10)
  }

  @Test func `keeps its promises when its recovery fails too`() throws {
    let report = try Trials.sample(.compound, seed: 3, every: 29)
    #expect(report.told == [])
    #expect(report.compoundFaults > 30)
  }

  @Test func `loses commits that are not synced, and the trial detects it`() throws {
    #expect(PlantedBug.isCompiledIn)
    let report = try PlantedBug.plant(.walWithNormal) {
      try Trials.sample(.cut, seed: 2, every: 4, violationLimit: 3)
    }
    #expect(report.kinds.contains(.lostCommit))
  }

  @Test func `reports saved too early, and the trial detects it`() throws {
    let report = try PlantedBug.plant(.acknowledgedBeforeCommit) {
      try Trials.sample(.fault, seed: 1, every: 7, violationLimit: 1)
    }
    #expect(report.kinds.contains(.lostCommit))
  }

  @Test func `writes an alert in two transactions, and the trial detects it`() throws {
    let report = try PlantedBug.plant(.mutationApart) {
      try Trials.sample(.cut, seed: 2, every: 1, violationLimit: 1)
    }
    #expect(report.kinds.contains(.torn))
  }
}
