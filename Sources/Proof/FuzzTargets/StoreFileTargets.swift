import DeviceCore
import Model
import Secrets
import ServerCore
import ServerStoreSQLite
import TestSupport
import Wire

@testable import CommandLineTool
@testable import LocalStore

extension FuzzTarget {
  /// The device's database with bytes flipped, cut off or inserted. An alert raised on it is there afterwards; everything else
  /// is read, repaired or rejected.
  static let storeFile = FuzzTarget("store-file", isSlow: true) {
    fileSeeds
  } run: { bytes in
    let scratch = ScratchHome.shared
    scratch.empty()
    for (name, file) in DeviceFiles.shared.edited(by: bytes) { writeFile(file, scratch.path + "/" + name) }
    useDevice(scratch.home)
  }

  /// The server's database, damaged likewise: no request makes it crash.
  static let serverFile = FuzzTarget("server-file", isSlow: true) {
    fileSeeds
  } run: { bytes in
    let scratch = ScratchHome.shared
    scratch.empty()
    for (name, file) in ServerFiles.shared.edited(by: bytes) { writeFile(file, scratch.path + "/" + name) }
    useServer(scratch.path + "/server.sqlite")
  }
}

/// The forms of an input: edits of the first file, edits of the second, a whole file.
private var fileSeeds: [[UInt8]] {
  [
    [0], [0, 0, 0, 16, 1, 0], [0, 0, 0, 18, 3, 9, 9, 9], [0, 0, 16, 0, 5, 13, 0, 0, 0, 0], [0, 0, 32, 40, 2, 255, 255],
    [1, 0, 0, 0, 3, 0, 0, 0], [1, 0, 0, 24, 8, 1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 80, 9, 128], [2],
    [2] + Array("SQLite format 3\0".utf8),
  ]
}

/// The files of a store, to start from.
private struct StoreFiles: Sendable {
  let files: [(name: String, bytes: [UInt8])]

  /// The first byte chooses: edits of the first file, of the second, or the rest of the input in place of the first. An edit is
  /// three bytes of offset, one of count (from 128 on the file ends there) and the new bytes.
  func edited(by input: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    var input = FuzzInput(input)
    var files = files
    let choice = input.number(below: 3)
    guard choice < 2 else {
      files[0].bytes = input.remaining()
      return [files[0]]
    }
    let index = choice % files.count
    var edits = 0
    while !input.isAtEnd, edits < 64, !files[index].bytes.isEmpty {
      edits += 1
      let place = input.number(below: files[index].bytes.count)
      let count = Int(input.byte())
      if count >= 128 { files[index].bytes.removeSubrange(place...) }
      for offset in place..<min(place + count % 128, files[index].bytes.count) {
        files[index].bytes[offset] = input.byte()
      }
    }
    return files
  }
}

private enum DeviceFiles {
  /// A signed-in store with contacts, an accepted alert, a waiting one and a parked item. Part of it is only in the log.
  static let shared: StoreFiles = {
    let scratch = ScratchHome()
    do {
      let store = try LocalStore.open(scratch.home, at: moment(0))
      try store.signIn(
        Session(
          accountID: Sample.identifier(900), phone: "+12025550199", accessToken: "a", refreshToken: "r",
          accessExpiresAt: Sample.now, alertKey: "k"), at: moment(1))
      if let details = Sample.contact() { _ = try store.putContact(nil, details, at: moment(2)) }
      _ = try store.activateAlert(AlertDraft(message: "Help", location: Sample.location), at: moment(3))
      let batch = try store.nextBatch(BatchSelection(lane: .emergency, maximumItems: 500, maximumBytes: 512 << 10))
      var answer = FuzzInput([0, 0, 0, 0, 5, 1, 7, 3, 65, 66, 67])
      _ = try store.apply(response(&answer, to: batch), to: batch, at: moment(4))
      _ = try store.deactivateAlerts(at: moment(5))
      _ = try store.activateAlert(AlertDraft(isDrill: true), at: moment(6))
      let files = ["store.sqlite", "store.sqlite-wal"].map {
        (name: $0, bytes: readFile(scratch.path + "/" + $0) ?? [])
      }
      store.close()
      return StoreFiles(files: files)
    } catch {
      fatalError("no store: \(error)")
    }
  }()

  static func moment(_ second: Int64) -> Moment {
    Moment(wall: Sample.now.advanced(byMilliseconds: second * 1000), monotonicMilliseconds: second * 1000)
  }
}

private enum ServerFiles {
  static let shared: StoreFiles = {
    let server = ServerUnderTest.shared
    let names = ["server.sqlite", "server.sqlite-wal"]
    return StoreFiles(files: names.map { (name: $0, bytes: readFile(server.scratch.path + "/" + $0) ?? []) })
  }()
}

private func useDevice(_ home: HomeDirectory) {
  let now = DeviceFiles.moment(100)
  let outcome: EmergencyActivation.Outcome
  do throws(EmergencyActivation.NotSaved) {
    outcome = try EmergencyActivation.perform(AlertDraft(message: "Now"), home: home, at: now)
  } catch {
    return require(false, "an alert is saved, whatever the store's file is")
  }
  outcome.store?.close()
  // As another run of the program finds it.
  guard let store = try? LocalStore.open(home, at: DeviceFiles.moment(101)) else {
    return require(Spool.alerts(home).contains { $0.id == outcome.activation.alert.id }, "the alert is in the spool")
  }
  let entries = (try? store.history(limit: 10_000, before: nil).entries) ?? []
  let isThere = entries.contains { $0.alert.id == outcome.activation.alert.id && $0.alert.isActive }
  require(isThere, "an alert that was saved is there afterwards, and active")
  if let status = try? store.status() {
    let report = AlertReport(
      status: status, silentResponders: [], time: LocalTime(now: now.wall),
      console: Console(isJSON: false, noColor: true, environment: Environment()))
    _ = report.lines
    _ = store.report.messages
  }
  _ = try? store.contacts()
  _ = try? store.queue()
  _ = try? store.syncState()
  for lane in Lane.allCases {
    _ = try? store.nextBatch(BatchSelection(lane: lane, maximumItems: 500, maximumBytes: 512 << 10))
  }
  let ended = (try? store.deactivateAlerts(at: DeviceFiles.moment(102))) ?? []
  require(ended.contains { $0.id == outcome.activation.alert.id }, "an alert that is active can be ended")
  _ = try? store.check()
  store.close()
}

private func useServer(_ path: String) {
  guard let store = try? SQLiteServerStore.open(path: path) else { return }
  defer { store.close() }
  let server = ServerUnderTest.shared
  _ = try? ServerKeys.load(from: store, at: ServerUnderTest.moment(1))
  func ask(_ method: String, _ path: String, _ body: [UInt8] = []) {
    let request = ServerRequest(
      method: method, path: path, authorization: "Bearer \(server.session.tokens.accessToken)",
      contentType: "application/json",
      body: body, remoteAddress: "192.0.2.1")
    let outcome = server.core.respond(to: request, at: ServerUnderTest.moment(2), in: store)
    require(outcome.response.status != 500, "no file of the store is the server's fault")
  }
  ask("POST", Route.sync, Sample.syncRequests[1])
  ask("GET", Route.alerts)
  ask("GET", Route.alerts + "/\(Sample.identifier(1) as AlertID)")
  ask("POST", Route.alerts + "/\(Sample.identifier(1) as AlertID)/acknowledgements")
  ask("GET", Route.contacts)
  let overview = ServerRequest(method: "GET", path: Route.overview, remoteAddress: "192.0.2.1")
  _ = server.core.respond(to: overview, at: ServerUnderTest.moment(2), in: store, table: .operation { CodeFigures() })
  ask("POST", Route.verifications, VerificationRequest(phone: "+12025550147", region: nil).json())
  ask("POST", Route.tokens, TokenRequest(refreshToken: server.session.tokens.refreshToken).json())
  let attempts = (try? server.core.claimDeliveries(limit: 20, at: ServerUnderTest.moment(3), in: store).attempts) ?? []
  for attempt in attempts {
    _ = try? server.core.completeDelivery(
      DeliveryCompletion(of: attempt, .status(503, retryAfter: nil)), at: ServerUnderTest.moment(4), in: store)
  }
  _ = try? server.core.nextDeliveryDue(at: ServerUnderTest.moment(5), in: store)
}
