import Foundation
import LifeSignal
import ProgramTesting
import Testing

/// A client tells the battery level of its machine by itself, once an alert is saved.
@Suite(.timeLimit(.minutes(5))) struct `The battery level from the library` {
  private let device: TestDevice
  private let client: LifeSignalClient

  init() throws {
    device = try TestDevice()
    let battery = device.folder.path("power/BAT0")
    try FileManager.default.createDirectory(atPath: battery, withIntermediateDirectories: true)
    for (name, text) in [("type", "Battery\n"), ("capacity", "62\n")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(battery)/\(name)"))
    }
    client = try LifeSignalClient.open(home: device.home, powerSupply: device.folder.path("power"))
  }

  private func waitForPending(_ count: Int) async {
    for await status in client.statuses() where status.connection.pendingCount == count { return }
  }

  private func update() throws -> JSONObject { try device.run("alert", "status", "--json").json().object("update") }

  @Test(arguments: [false, true]) func `follows an alert, and a drill`(isDrill: Bool) async throws {
    let location = try LifeSignalClient.Location(latitude: 1, longitude: 2)
    _ = try await client.activateAlert(location: location, isDrill: isDrill)
    await waitForPending(3)
    #expect(try update().integer("battery_percent") == 62)
  }

  @Test func `is told of again by a further press, and not by a drill that is left out`() async throws {
    _ = try await client.activateAlert()
    await waitForPending(3)
    _ = try await client.activateAlert(isDrill: true)
    _ = try await client.activateAlert()
    await waitForPending(5)
    #expect(try device.run("queue", "list", "--json").jsonLines().count == 5)
  }
}
