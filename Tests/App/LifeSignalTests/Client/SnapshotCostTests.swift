import Foundation
import LifeSignalFeatures
import ProgramTesting
import SystemKit
import Testing

/// What a feature rereads for a snapshot, on a real store that another process changes.
@MainActor @Suite(.timeLimit(.minutes(5))) struct `A snapshot` {
  private let device: TestDevice
  private let client: LifeSignalClient
  private let readings = Readings()

  init() throws {
    device = try TestDevice()
    client = try LifeSignalClient.open(home: device.home)
  }

  private func makeStore() -> StoreOf<AlertFeature> {
    Store(initialState: AlertFeature.State()) {
      AlertFeature()
    } withDependencies: { [client, readings] in
      $0.use(client)
      let history = $0.alertClient.getAlertHistory
      $0.alertClient.getAlertHistory = {
        readings.note()
        return try await history()
      }
    }
  }

  /// Waits until the feature shows a matching state.
  private func wait(_ store: StoreOf<AlertFeature>, for isThere: @escaping (AlertFeature.State) -> Bool) async {
    for await state in Observations({ store.state }) where isThere(state) { return }
  }

  @Test func `with another connection reads no history, with another alert it does`() async throws {
    _ = try await client.activateAlert()
    _ = try await client.deactivateAlerts()
    let store = makeStore()
    store.send(.task)
    await wait(store) { $0.alertHistory.count == 1 }
    let before = readings.count
    // A queued contact changes the waiting items, and no alert.
    try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--responder")
    await wait(store) { $0.connection.pendingCount == 5 }
    #expect(readings.count == before)
    try device.run("alert", "activate", "--yes", "--no-sync")
    await wait(store) { $0.alertHistory.count == 2 && $0.alertHistory.first?.isActive == true }
    #expect(readings.count > before)
    try device.run("alert", "deactivate", "--yes", "--no-sync")
    await wait(store) { $0.alertHistory.count == 2 && $0.alertHistory.first?.isActive == false }
  }

  @Test func `has another revision for each change of an alert or a contact, and for no other`() async throws {
    var revisions: [LifeSignalClient.Status] = []
    func look() async throws { revisions.append(try await client.status()) }
    try await look()
    try await client.configure { $0.endpoint = "https://example.org" }
    try await look()
    #expect(revisions[0].revision == revisions[1].revision)
    _ = try await client.activateAlert()
    try await look()
    let items = try await client.queuedItems()
    try await client.retry(items[0].id)
    try await look()
    #expect(revisions[2].revision == revisions[3].revision, "no alert has changed")
    _ = try await client.deactivateAlerts()
    try await look()
    let contact = try await client.addContact(
      ContactDetails(name: "Ana", phone: "+12025550143", isResponder: true, isDependent: false, channels: []))
    try await look()
    _ = try await client.removeContact(contact.id)
    try await look()
    #expect(Set(revisions.compactMap { $0.revision?.alerts }).count == 3)
    #expect(Set(revisions.compactMap { $0.revision?.contacts }).count == 3)
    #expect(revisions.allSatisfy { $0.revision != nil })
  }

  @Test func `of a store without all changes has none`() async throws {
    let mend = try device.breakStore()
    _ = try await client.activateAlert()
    #expect(try await client.status().revision == nil)
    try mend()
    #expect(try await client.status().revision?.alerts.isEmpty == false)
  }
}

private final class Readings: Sendable {
  private let readings = Lock(0)
  func note() { readings.withLock { $0 += 1 } }
  var count: Int { readings.withLock { $0 } }
}
