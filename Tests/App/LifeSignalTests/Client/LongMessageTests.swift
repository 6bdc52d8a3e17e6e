import Foundation
import LifeSignal
import ProgramTesting
import Testing

@Suite struct `A call for help from an app` {
  @Test(arguments: [
    (String(repeating: "a", count: 1001), String(repeating: "a", count: 999) + "…"),
    ("under the\u{0} bridge ", "under the bridge"), (" \n", nil),
  ])
  func `is raised with as much of its message as fits`(message: String, kept: String?) async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let raised = try await client.activateAlert(message: message)
    let status = try await client.status()
    #expect(status.isActive && status.alertID == raised.id)
    #expect(status.message == kept)
  }
}
