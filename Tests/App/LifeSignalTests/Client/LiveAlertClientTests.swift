import Foundation
import LifeSignalFeatures
import ProgramTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The live alert client` {
  @Test func `an alert is raised, seen and ended without any server`() async throws {
    let device = try TestDevice()
    let client = AlertClient.live(try LifeSignalClient.open(home: device.home))
    #expect(try await client.getAlertStatus().isActive == false)
    let before = Date()
    let startTime = try await client.activateAlert()
    #expect(abs(startTime.timeIntervalSince(before)) < 10)
    #expect(try await client.getAlertStatus().isActive == true)
    #expect(try await client.getAlertStatus().startTime == startTime)
    #expect(try await client.activateAlert() == startTime, "the active one stands")
    let endTime = try await client.deactivateAlert()
    #expect(endTime >= startTime)
    #expect(try await client.getAlertStatus().isActive == false)
    #expect(try await client.getAlertStatus().startTime == startTime)
    let record = try #require(try await client.getAlertHistory().first)
    #expect(record.startTime == startTime)
    #expect(record.endTime == endTime)
    #expect(record.userId.isEmpty)
    #expect(!record.isActive && !record.isDiscarded)
    #expect(record.stage == .saved)
  }

  @Test func `a raised alert is durable when the call returns`() async throws {
    let device = try TestDevice()
    let startTime = try await AlertClient.live(LifeSignalClient.open(home: device.home)).activateAlert()
    let another = AlertClient.live(try LifeSignalClient.open(home: device.home))
    #expect(try await another.getAlertStatus().isActive == true)
    #expect(try await another.getAlertStatus().startTime == startTime)
  }

  @Test func `without an active alert there is none to end`() async throws {
    let device = try TestDevice()
    let client = AlertClient.live(try LifeSignalClient.open(home: device.home))
    let error = await #expect(throws: LifeSignalError.self) { try await client.deactivateAlert() }
    #expect(error?.code == .noActiveAlert)
    #expect(error?.localizedDescription == "no alert is active")
  }

  @Test func `if nothing can be saved, raising an alert fails with a text`() async throws {
    let device = try TestDevice()
    let file = device.folder.path("file")
    try Data().write(to: URL(fileURLWithPath: file))
    let client = AlertClient.live(try LifeSignalClient.open(home: file + "/home"))
    let error = await #expect(throws: LifeSignalError.self) { try await client.activateAlert() }
    #expect(error?.localizedDescription.contains("NOT saved") == true)
    #expect(await client.snapshots().first { _ in true } == nil, "a store that cannot be opened is not followed")
  }

  @Test func `the snapshots follow an alert through its states to its end`() async throws {
    let live = try await LiveServer()
    try await live.signIn()
    try await live.addResponder()
    let none = await live.alerts.snapshots().first { _ in true }
    #expect(none?.delivery == nil)
    #expect(none?.connection.isSignedIn == true)
    let snapshots = live.alerts.snapshots()
    let startTime = try await live.alerts.activateAlert()
    let saved = await snapshots.first { $0.delivery != nil }
    #expect(saved?.connection.pendingCount == 3)
    #expect(saved?.delivery == AlertDelivery(savedAt: startTime))
    let worker = Task { [client = live.client] in try await client.runWorker() }
    defer { worker.cancel() }
    var rungs: [String] = []
    let sent = await live.alerts.snapshots().first { snapshot in
      rungs.append(Self.rung(snapshot))
      return snapshot.delivery?.responders.first?.state == .sent
    }
    #expect(sent?.isActive == true)
    #expect(sent?.startTime == startTime)
    #expect(sent?.delivery?.savedAt == startTime)
    #expect(sent?.delivery?.acceptedAt != nil)
    #expect(sent?.delivery?.isLate == false)
    #expect(sent?.delivery?.responders.map(\.name) == ["Ana"])
    #expect(sent?.delivery?.responders.map(\.channel) == ["webhook"])
    #expect(rungs == rungs.sorted { Self.order($0) < Self.order($1) }, "no rung is shown before the one below it")
    #expect(rungs.last == "sent")
    let endTime = try await live.alerts.deactivateAlert()
    let safe = await live.alerts.snapshots().first { $0.delivery?.safeNotices.first?.state == .sent }
    #expect(safe?.isActive == false)
    #expect(safe?.endTime == endTime)
    let record = try #require(try await live.alerts.getAlertHistory().first)
    #expect(record.stage == .accepted)
    #expect(try await record.userId == live.client.user()?.id.description)
  }

  @Test func `a discarded alert is in the history, and not active`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    _ = try await AlertClient.live(client).activateAlert()
    let items = try await client.queuedItems()
    #expect(items.map(\.kind) == ["alert.activate", "notification.activated"])
    #expect(items.allSatisfy { $0.refusal == nil && $0.attempts == 0 })
    #expect(try await client.retry(items[0].id) == items[0])
    #expect(try await client.discard(items[0].id).map(\.id) == items.map(\.id))
    let record = try #require(try await AlertClient.live(client).getAlertHistory().first)
    #expect(record.isDiscarded && !record.isActive)
    #expect(try await client.history().map(\.isDiscarded) == [true])
    let error = await #expect(throws: LifeSignalError.self) { try await client.discard(items[0].id) }
    #expect(error?.code == .notFound)
  }

  @Test func `a stream without a reader ends`() async throws {
    let device = try TestDevice()
    let client = AlertClient.live(try LifeSignalClient.open(home: device.home))
    let reader = Task { await client.snapshots().first { _ in false } }
    reader.cancel()
    #expect(await reader.value == nil)
  }

  private static func rung(_ snapshot: AlertSnapshot) -> String {
    guard let delivery = snapshot.delivery else { return "none" }
    guard delivery.acceptedAt != nil else { return "saved" }
    return delivery.responders.first?.state.rawValue ?? "accepted"
  }

  private static func order(_ rung: String) -> Int {
    ["none", "saved", "accepted", "queued", "sent"].firstIndex(of: rung) ?? .max
  }
}
