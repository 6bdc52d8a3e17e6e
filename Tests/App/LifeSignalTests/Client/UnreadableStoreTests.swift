import Foundation
import LifeSignalFeatures
import ProgramTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A store that cannot be read` {
  let device: TestDevice
  let client: LifeSignalClient

  init() throws {
    device = try TestDevice()
    client = try LifeSignalClient.open(home: device.home)
  }

  @Test func `hides no spooled alert`() async throws {
    let mend = try device.breakStore()
    let raised = try await client.activateAlert(message: "fell")
    #expect(raised.isSpooled)
    let status = try await client.status()
    #expect(status.alertID == raised.id && status.isActive && status.message == "fell")
    #expect(status.delivery?.acceptedAt == nil && status.connection.pendingCount == 2)
    #expect(status.storeProblem != nil)
    #expect(try await client.history().map(\.id) == [raised.id])
    let live = AlertClient.live(client)
    let startTime = raised.startTime
    #expect(try await live.getAlertStatus() == status)
    #expect(try await live.getAlertHistory().map(\.isActive) == [true])
    var snapshots = live.snapshots().makeAsyncIterator()
    let snapshot = await snapshots.next()
    #expect(snapshot?.isActive == true)
    #expect(snapshot?.delivery == AlertDelivery(savedAt: startTime))
    #expect(snapshot?.connection.lastError == status.storeProblem)
    #expect(await snapshots.next() == nil, "there is nothing to follow")
    try mend()
    #expect(try await client.status().storeProblem == nil)
    #expect(try await client.status().alertID == raised.id)
    #expect(try await client.history().map(\.id) == [raised.id])
  }

  @Test func `keeps no message from being saved for the responders of a spooled alert`() async throws {
    let mend = try device.breakStore()
    let none = await #expect(throws: LifeSignalError.self) { try await client.updateAlert(message: "worse") }
    #expect(none?.code == .notSaved)
    let raised = try await client.activateAlert(message: "fell")
    try await client.updateAlert(message: "worse")
    try mend()
    #expect(try await client.status().alertID == raised.id)
    #expect(try await client.history().map(\.message) == ["fell"])
    #expect(try device.run("alert", "status", "--json").json().object("update").string("message") == "worse")
  }

  @Test func `reports no alerts if nothing is known`() async throws {
    try device.breakStore()
    let live = AlertClient.live(client)
    await #expect(throws: LifeSignalError.self) { try await client.status() }
    await #expect(throws: LifeSignalError.self) { try await client.history() }
    await #expect(throws: LifeSignalError.self) { try await live.getAlertStatus() }
    await #expect(throws: LifeSignalError.self) { try await live.getAlertHistory() }
    #expect(await live.snapshots().first { _ in true } == nil)
    #expect(await client.statuses().first { _ in true } == nil)
  }

  @Test func `ends its streams, so that no reader takes the last value for current`() async throws {
    var statuses = client.statuses().makeAsyncIterator()
    var users = client.users().makeAsyncIterator()
    #expect(await statuses.next()?.alertID == nil)
    #expect(await users.next() == .some(nil))
    let raised = try await client.activateAlert()
    var status = await statuses.next()
    while let told = status, told.alertID == nil { status = await statuses.next() }
    #expect(status?.alertID == raised.id)
    try device.breakStore()
    while let told = await statuses.next() { #expect(told.storeProblem == nil) }
    #expect(await users.next() == nil)
  }

  /// A client as after a restart of its program, with an alert that another program could not send. Its store can be read, but not opened:
  /// the file that locks it is a folder.
  private func scene(_ live: LiveServer) async throws -> LifeSignalClient {
    try await live.signIn()
    try await live.addResponder()
    _ = try await live.client.sync()
    let lock = live.device.home + "/store.lock"
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
    let raised = try live.device.run("alert", "activate", "--yes", "--no-sync", "--message", "fell")
    try #require(raised.status == 0, "\(raised)")
    return try LifeSignalClient.open(home: live.device.home)
  }

  @Test func `keeps no alert from being sent by a sync, which fails all the same`() async throws {
    let live = try await LiveServer()
    let client = try await scene(live)
    await #expect(throws: LifeSignalError.self) { try await client.sync() }
    #expect(try live.receiver.next().contains("fell"))
  }

  @Test func `keeps no alert from being sent by the worker, which cannot start`() async throws {
    let live = try await LiveServer()
    let client = try await scene(live)
    let worker = Task { await client.keepSyncing { _ in } }
    #expect(try live.receiver.next().contains("fell"))
    worker.cancel()
    await worker.value
  }

  @Test func `is reported by the command line too`() throws {
    try device.breakStore()
    let unknown = try device.run("alert", "status")
    #expect(unknown.status == 73)
    #expect(unknown.error.contains("UNKNOWN whether an alert is active"))
    #expect(!unknown.output.contains("No alert"))
    try device.run("alert", "activate", "--yes", "--no-sync")
    let status = try device.run("alert", "status")
    #expect(status.status == 0)
    #expect(status.output.contains("ALERT ACTIVE"))
    #expect(!status.output.contains("Not signed in"), "nobody knows")
    #expect(status.error.contains("data cannot be read") && status.error.contains("NOTHING MORE IS SENT"))
    let json = try device.run("alert", "status", "--json").json()
    #expect(try json.boolean("active"))
    #expect(try json.object("delivery").string("stage") == "saved")
    let history = try device.run("alert", "history", "--json")
    #expect(try history.jsonLines().count == 1)
  }

  @Test func `does not affect many streams at once`() async throws {
    var iterators = (0..<150).map { _ in client.users().makeAsyncIterator() }
    for index in iterators.indices { #expect(await iterators[index].next() == .some(nil)) }
    #expect(Self.watchCount < 100, "a user has 128, for all programs")
  }

  /// The number of this process's inotify instances.
  private static var watchCount: Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0))?.contains("inotify") == true
    }
  }
}
