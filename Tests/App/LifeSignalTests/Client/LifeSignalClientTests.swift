import Foundation
import LifeSignal
import ProgramTesting
import SystemKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The client library` {
  @Test func `an alert is raised once, followed, ended and remembered`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let location = try LifeSignalClient.Location(latitude: 46.5763, longitude: 7.9905)
    let raised = try await client.activateAlert(message: "fell", location: location)
    #expect(!raised.wasActiveBefore)
    let again = try await client.activateAlert()
    #expect(again.wasActiveBefore)
    #expect(again.id == raised.id && again.startTime == raised.startTime)
    let status = try await client.status()
    #expect(status.alertID == raised.id && status.startTime == raised.startTime)
    #expect(status.message == "fell" && status.location == location)
    #expect(status.delivery?.acceptedAt == nil && status.delivery?.isSaved == true)
    #expect(status.connection.pendingCount == 3)
    let ended = try await client.deactivateAlerts()
    #expect(ended.map(\.id) == [raised.id] && ended.allSatisfy { !$0.isActive && $0.endTime != nil })
    let history = try await client.history()
    #expect(history == ended)
    #expect(history.first?.message == "fell" && history.first?.location == location)
  }

  @Test func `ends the alerts that were shown, and none that came since`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let raised = try await client.activateAlert(message: "first")
    let shown = try await client.status()
    #expect(try await client.deactivateAlerts().count == 1)
    _ = try await client.activateAlert(message: "second")
    #expect(try await client.deactivateAlerts(shownIn: shown) == [])
    #expect(try await client.status().isActive)
    let again = try await client.status()
    #expect(again.alertID != raised.id)
    #expect(try await client.deactivateAlerts(shownIn: again).map(\.id) == [again.alertID])
    #expect(try await client.status().isActive == false)
  }

  @Test func `a saved alert that cannot be read is not said to be none`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    #expect(try await client.status().unreadableAlert == nil)
    let file = URL(fileURLWithPath: device.home + "/spool/0190a000-0000-7000-8000-000000000001.json")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data("{".utf8).write(to: file)
    let status = try await client.status()
    #expect(!status.isActive && status.unreadableAlert?.contains("cannot be read") == true)
  }

  @Test func `a status stream shows what another process does`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    var statuses = client.statuses().makeAsyncIterator()
    #expect(await statuses.next()?.alertID == nil)
    try device.run("alert", "activate", "--yes", "--no-sync")
    var status = await statuses.next()
    while let told = status, told.alertID == nil { status = await statuses.next() }
    #expect(status?.isActive == true)
    try device.run("alert", "deactivate", "--yes", "--no-sync")
    while status?.isActive == true { status = await statuses.next() }
    #expect(status?.endTime != nil)
  }

  @Test func `a name is part of the account, and an alert that would reach nobody says why`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    #expect(try await client.status().readiness?.obstacle == .noServer)
    try await client.setName("Zoë García")
    let error = await #expect(throws: LifeSignalError.self) { try await client.setName(" ") }
    #expect(error?.code == .invalid)
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    #expect(try await client.user()?.name == "Zoë García")
    let ana = try await client.addContact(
      LifeSignalClient.ContactDetails(
        name: "Ana", phone: "+12025550143", isResponder: true, isDependent: false,
        channels: [LifeSignalClient.Channel("https://example.org/ana")]))
    let readiness = try #require(try await client.status().readiness)
    #expect(readiness.responders == 1 && readiness.tested == 0 && !readiness.isReady && readiness.lastDrill == nil)
    #expect(readiness.line(now: Date()) == "NOT READY: nobody would be told (your responders are not on the server)")
    let untestable = await #expect(throws: LifeSignalError.self) { try await client.testContact(ana.id) }
    #expect(untestable?.code == .invalid && untestable?.message.contains("was not reached") == true)
  }

  @Test(.timeLimit(.minutes(10))) func `a worker ends when its task is cancelled`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let task = Task { try await client.runWorker() }
    task.cancel()
    try await task.value
  }

  @Test func `if nothing can be saved, it says so`() async throws {
    let device = try TestDevice()
    let file = device.folder.path("file")
    try Data().write(to: URL(fileURLWithPath: file))
    let client = try LifeSignalClient.open(home: file + "/home")
    let error = await #expect(throws: LifeSignalError.self) { try await client.activateAlert() }
    #expect(error?.code == .notSaved)
    #expect(error?.message.contains("NOT saved") == true)
  }

  @Test func `contacts and numbers are checked`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let phone = try await client.normalizedPhoneNumber("(202) 555-0143", region: "US")
    #expect(phone == "+12025550143")
    let channel = try LifeSignalClient.Channel("ntfy://ntfy.example/ana")
    let details = try LifeSignalClient.ContactDetails(
      name: "Ana", phone: phone, isResponder: true, isDependent: false, channels: [channel])
    let contact = try await client.addContact(details)
    #expect(try await client.contacts().map(\.contact) == [contact])
    #expect(try await client.removeContact(contact.id) == contact)
    await #expect(throws: LifeSignalError.self) { try await client.removeContact(contact.id) }
    await #expect(throws: LifeSignalError.self) { try await client.configure { $0.endpoint = "http://example.org" } }
    let error = await #expect(throws: LifeSignalError.self) { try await client.requestCode(phone: phone) }
    #expect(error?.code == .notConfigured)
  }

  @Test func `the settings are the command line's`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    #expect(try await client.settings() == LifeSignalClient.Settings())
    let germany = try #require(LifeSignalClient.Region(code: "DE"))
    let settings = try await client.configure {
      $0.endpoint = "https://EXAMPLE.org/"
      $0.secondEndpoint = "https://second.example.org"
      $0.region = germany
    }
    #expect(settings.endpoint == "https://example.org")
    #expect(try device.run("config", "get", "endpoint").output == "https://example.org\n")
    #expect(try device.run("config", "get", "region").output == "DE\n")
    try device.run("config", "set", "region", "GB")
    #expect(try await client.settings().region?.code == "GB")
    #expect(try await client.settings().secondEndpoint == "https://second.example.org")
    #expect(try await client.configure { $0.secondEndpoint = nil }.secondEndpoint == nil)
  }

  @Test func `an invalid setting changes none of them`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let before = try await client.configure { $0.endpoint = "https://example.org" }
    let path = device.folder.path("none.pem")
    let error = await #expect(throws: LifeSignalError.self) {
      try await client.configure {
        $0.endpoint = "https://other.example.org"
        $0.certificateAuthorityFile = path
      }
    }
    #expect(error?.code == .invalid)
    await #expect(throws: LifeSignalError.self) {
      try await client.configure { $0.secondEndpoint = "ftp://example.org" }
    }
    #expect(try await client.settings() == before)
  }

  @Test func `it reports whether a worker runs`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    try await client.configure { $0.endpoint = "http://127.0.0.1:1" }
    #expect(try await !client.isWorkerRunning())
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: device.environment)
    try worker.line(containing: "Sync running.")
    #expect(try await client.isWorkerRunning())
  }

  @Test func `a sign-in does not wait for a sync`() async throws {
    let device = try TestDevice()
    let arrived = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    let server = try WebhookReceiver { _ in
      arrived.continuation.yield()
      #expect(release.wait(timeout: .now() + .seconds(60)) == .success, "the test did not release the request")
      return nil
    }
    defer { server.stop() }
    try device.signInLocally(endpoint: "http://127.0.0.1:\(server.port)")
    let client = try LifeSignalClient.open(home: device.home)
    _ = try await client.activateAlert()
    let isSyncing = Lock(true)
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

  @Test func `its values can be made, for previews and tests`() throws {
    let now = Date(timeIntervalSince1970: 1_795_291_200)
    let id = try #require(LifeSignalClient.Alert.ID("00000000-0000-0000-0000-000000000001"))
    #expect(!LifeSignalClient.RaisedAlert(id: id, startTime: now).wasActiveBefore)
    #expect(LifeSignalClient.Status().alertID == nil && !LifeSignalClient.Status().connection.isSignedIn)
    let connection = LifeSignalClient.Status.Connection(isSignedIn: true, pendingCount: 2)
    let delivery = LifeSignalClient.Status.Delivery(savedAt: now, acceptedAt: now)
    let status = LifeSignalClient.Status(
      isActive: true, startTime: now, alertID: id, delivery: delivery, connection: connection)
    #expect(status.connection.pendingCount == 2)
    #expect(!LifeSignalClient.Alert(id: id, startTime: now, userId: "", isDiscarded: true).isActive)
    let code = LifeSignalClient.SentCode(id: "1", phone: "+12025550123", expiresAt: now, resendAt: now)
    #expect(code.secondsUntilResend == 60)
    let result = LifeSignalClient.SyncResult(failure: LifeSignalError(.unreachable, "no network"))
    #expect(result.failure?.message == "no network")
    let refusal = LifeSignalClient.QueuedItem.Refusal(at: now, code: "invalid_body", message: "no")
    #expect(LifeSignalClient.QueuedItem(id: "1", kind: "contact.put", createdAt: now, refusal: refusal).attempts == 0)
  }
}
