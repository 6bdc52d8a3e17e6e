import PlantedBugs
import Simulator
import Testing

/// Some of the trials of `lifesignal-simulate disks --store server`; all of them are for that command.
@Suite struct `The server's store on a bad disk` {
  private func expectNoViolation(_ report: DiskReport) {
    for failure in report.failures { Issue.record("\(failure)") }
  }

  @Test func `keeps its word whichever operation fails`() throws {
    var campaign = try DiskCampaign<ServerSubject>(seed: 1)
    try campaign.run(.fault, stride(from: 0, to: campaign.faultCount, by: campaign.faultCount / 100))
    expectNoViolation(campaign.report)
    #expect(campaign.report.ioFaults > 80)
  }

  @Test func `keeps its word when the power is cut`() throws {
    var campaign = try DiskCampaign<ServerSubject>(seed: 2)
    try campaign.run(.cut, stride(from: 0, to: campaign.cutCount, by: 9))
    expectNoViolation(campaign.report)
    #expect(campaign.report.powerCuts > 50)
    #expect(campaign.report.writesLost > 50 && campaign.report.writesTorn > 10)
  }

  @Test func `keeps its word when its recovery is hurt too`() throws {
    var campaign = try DiskCampaign<ServerSubject>(seed: 3)
    try campaign.run(.compound, stride(from: 0, to: campaign.cutCount, by: 23))
    expectNoViolation(campaign.report)
    #expect(campaign.report.compoundFaults > 20)
  }

  @Test func `loses commits where they are not synced, and the trial sees it`() throws {
    let report = try PlantedBug.plant(.walWithNormal) {
      var campaign = try DiskCampaign<ServerSubject>(seed: 2)
      try campaign.run(.cut, stride(from: 0, to: campaign.cutCount, by: 4), violationLimit: 3)
      return campaign.report
    }
    #expect(report.failures.contains { $0.violation.kind == .lostCommit })
  }

  @Test func `answers before it commits, and the trial sees it`() throws {
    let report = try PlantedBug.plant(.answeredBeforeCommit) {
      var campaign = try DiskCampaign<ServerSubject>(seed: 2)
      try campaign.run(.cut, 0..<campaign.cutCount, violationLimit: 1)
      return campaign.report
    }
    #expect(report.failures.contains { $0.violation.kind == .lostCommit })
  }
}
