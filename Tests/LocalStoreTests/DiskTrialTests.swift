import PlantedBugs
import Simulator
import Testing

/// Some of the trials of `lifesignal-simulate disks --store device`; all of them are for that command.
@Suite struct `The device's store on a bad disk` {
  private func expectNoViolation(_ report: DiskReport) {
    for failure in report.failures { Issue.record("\(failure)") }
  }

  @Test func `keeps its word whichever operation fails`() throws {
    var campaign = try DiskCampaign<DeviceSubject>(seed: 1)
    try campaign.run(.fault, stride(from: 0, to: campaign.faultCount, by: campaign.faultCount / 150))
    expectNoViolation(campaign.report)
    #expect(campaign.report.ioFaults > 120)
  }

  @Test func `keeps its word when the power is cut`() throws {
    var campaign = try DiskCampaign<DeviceSubject>(seed: 2)
    try campaign.run(.cut, stride(from: 0, to: campaign.cutCount, by: 11))
    expectNoViolation(campaign.report)
    #expect(campaign.report.powerCuts > 80)
    #expect(campaign.report.writesLost > 50 && campaign.report.writesTorn > 10)
  }

  @Test func `keeps its word when its recovery is hurt too`() throws {
    var campaign = try DiskCampaign<DeviceSubject>(seed: 3)
    try campaign.run(.compound, stride(from: 0, to: campaign.cutCount, by: 29))
    expectNoViolation(campaign.report)
    #expect(campaign.report.compoundFaults > 30)
  }

  @Test func `loses commits where they are not synced, and the trial sees it`() throws {
    #expect(PlantedBug.isCompiledIn)
    let report = try PlantedBug.plant(.walWithNormal) {
      var campaign = try DiskCampaign<DeviceSubject>(seed: 2)
      try campaign.run(.cut, stride(from: 0, to: campaign.cutCount, by: 4), violationLimit: 3)
      return campaign.report
    }
    #expect(report.failures.contains { $0.violation.kind == .lostCommit })
  }

  @Test func `says saved too early, and the trial sees it`() throws {
    let report = try PlantedBug.plant(.acknowledgedBeforeCommit) {
      var campaign = try DiskCampaign<DeviceSubject>(seed: 1)
      try campaign.run(.fault, stride(from: 0, to: campaign.faultCount, by: 7), violationLimit: 1)
      return campaign.report
    }
    #expect(report.failures.contains { $0.violation.kind == .lostCommit })
  }

  @Test func `writes an alert in two transactions, and the trial sees it`() throws {
    let report = try PlantedBug.plant(.mutationApart) {
      var campaign = try DiskCampaign<DeviceSubject>(seed: 2)
      try campaign.run(.cut, 0..<campaign.cutCount, violationLimit: 1)
      return campaign.report
    }
    #expect(report.failures.contains { $0.violation.kind == .torn })
  }
}
