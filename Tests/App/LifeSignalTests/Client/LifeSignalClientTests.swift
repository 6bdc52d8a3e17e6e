import Foundation
import LifeSignal
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The client library` {
  @Test func `an alert is raised once, followed, ended and remembered`() async throws {
    let device = try Device()
    let client = try LifeSignalClient.open(home: device.home)
    let location = try Location(latitude: 46.5763, longitude: 7.9905)
    let raised = try await client.activateAlert(message: "fell", location: location)
    #expect(!raised.wasActiveBefore)
    let again = try await client.activateAlert()
    #expect(again.wasActiveBefore)
    #expect(again.alert == raised.alert)
    let status = try await client.status()
    #expect(status.alert == raised.alert)
    #expect(status.stage == .saved)
    #expect(status.sync.pending == 3)
    #expect(try await client.deactivateAlerts().map(\.id) == [raised.alert.id])
    #expect(try await client.history().map(\.id) == [raised.alert.id])
  }

  @Test func `a status stream tells what another process does`() async throws {
    let device = try Device()
    let client = try LifeSignalClient.open(home: device.home)
    var statuses = client.statuses().makeAsyncIterator()
    #expect(await statuses.next()?.alert == nil)
    try device.run("alert", "activate", "--yes", "--no-sync")
    var status = await statuses.next()
    while status?.alert == nil { status = await statuses.next() }
    #expect(status?.alert?.isActive == true)
    try device.run("alert", "deactivate", "--yes", "--no-sync")
    while status?.alert?.isActive == true { status = await statuses.next() }
    #expect(status?.alert?.endedAt != nil)
  }

  @Test func `a worker ends when its task is cancelled`() async throws {
    let device = try Device()
    let client = try LifeSignalClient.open(home: device.home)
    let task = Task { try await client.runWorker() }
    task.cancel()
    try await task.value
  }

  @Test func `where nothing can be saved, it is said`() async throws {
    let device = try Device()
    let file = device.folder.path("file")
    try Data().write(to: URL(fileURLWithPath: file))
    let client = try LifeSignalClient.open(home: file + "/home")
    let error = await #expect(throws: LifeSignalError.self) { try await client.activateAlert() }
    #expect(error?.code == .notSaved)
    #expect(error?.message.contains("NOT saved") == true)
  }

  @Test func `contacts and numbers are checked`() async throws {
    let device = try Device()
    let client = try LifeSignalClient.open(home: device.home)
    let phone = try await client.normalizedPhoneNumber("(202) 555-0143", region: "US")
    #expect(phone == "+12025550143")
    let channel = try Channel("ntfy://ntfy.example/ana")
    let details = try ContactDetails(
      name: "Ana", phone: phone, isResponder: true, isDependent: false, channels: [channel])
    let contact = try await client.addContact(details)
    #expect(try await client.contacts().map(\.contact) == [contact])
    #expect(try await client.removeContact(contact.id) == contact)
    await #expect(throws: LifeSignalError.self) { try await client.removeContact(contact.id) }
    await #expect(throws: LifeSignalError.self) { try await client.setEndpoint("http://example.org") }
    let error = await #expect(throws: LifeSignalError.self) { try await client.requestCode(phone: phone) }
    #expect(error?.code == .notConfigured)
  }

  @Test func `the settings are those of the command line`() async throws {
    let device = try Device()
    let client = try LifeSignalClient.open(home: device.home)
    #expect(try await client.endpoint() == nil)
    #expect(try await client.region() == nil)
    try await client.setEndpoint("https://EXAMPLE.org/")
    try await client.setSecondEndpoint("https://second.example.org")
    try await client.setRegion(Region(code: "DE"))
    #expect(try device.run("config", "get", "endpoint").output == "https://example.org\n")
    #expect(try device.run("config", "get", "region").output == "DE\n")
    try device.run("config", "set", "region", "GB")
    #expect(try await client.region()?.code == "GB")
    #expect(try await client.secondEndpoint() == "https://second.example.org")
    try await client.setSecondEndpoint(nil)
    #expect(try await client.secondEndpoint() == nil)
    let error = await #expect(throws: LifeSignalError.self) {
      try await client.setCertificateAuthorityFile(device.folder.path("none.pem"))
    }
    #expect(error?.code == .invalid)
    await #expect(throws: LifeSignalError.self) { try await client.setSecondEndpoint("ftp://example.org") }
  }

  @Test func `whether a worker runs is known`() async throws {
    let device = try Device()
    let client = try LifeSignalClient.open(home: device.home)
    try await client.setEndpoint("http://127.0.0.1:1")
    #expect(try await !client.isWorkerRunning())
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: device.environment)
    try worker.line(containing: "working")
    #expect(try await client.isWorkerRunning())
  }

  @Test func `a sign-in does not wait for a sync`() async throws {
    let device = try Device()
    let arrived = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    let server = try WebhookReceiver { _ in
      arrived.continuation.yield()
      release.wait()
      return nil
    }
    defer { server.stop() }
    try device.signInLocally(endpoint: "http://127.0.0.1:\(server.port)")
    let client = try LifeSignalClient.open(home: device.home)
    _ = try await client.activateAlert()
    let isSyncing = Mutex(true)
    let syncing = Task {
      defer {
        isSyncing.withLock { $0 = false }
        arrived.continuation.finish()
      }
      return try await client.sync(limitMilliseconds: 5000)
    }
    #expect(await arrived.stream.first { _ in true } != nil)
    let error = await #expect(throws: LifeSignalError.self) { try await client.requestCode(phone: "123") }
    #expect(error?.code == .invalid)
    #expect(isSyncing.withLock { $0 }, "it was answered while the sync waits")
    for _ in 0..<10 { release.signal() }
    let result = try #require(try await syncing.value)
    #expect(result.pending == 2)
  }

  @Test func `its values can be made, for previews and tests`() {
    let now = Timestamp(milliseconds: 1_795_291_200_000)
    let alert = Alert(
      id: AlertID(versionSevenAt: now, random: (1, 1)), startedAt: now, message: nil, location: nil, isDrill: false)
    #expect(RaisedAlert(alert: alert) == RaisedAlert(alert: alert, wasActiveBefore: false, isSpooled: false))
    #expect(DeviceStatus().alert == nil && !DeviceStatus().sync.isSignedIn)
    let sync = SyncStatus(pending: 2, isSignedIn: true)
    #expect(DeviceStatus(alert: alert, stage: .accepted, acceptedAt: now, sync: sync).sync.pending == 2)
    #expect(PastAlert(alert: alert, isDiscarded: true).id == alert.id)
    #expect(SentCode(id: "1", phone: "+12025550123", expiresAt: now, resendAt: now).secondsUntilResend == 60)
    #expect(SyncResult(failure: LifeSignalError(.unreachable, "no network")).error == "no network")
    let refusal = QueuedItem.Refusal(at: now, code: "invalid_body", message: "no")
    #expect(QueuedItem(id: "1", kind: "contact.put", createdAt: now, refusal: refusal).attempts == 0)
  }
}
