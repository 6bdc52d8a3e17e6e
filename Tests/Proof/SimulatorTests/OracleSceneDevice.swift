import Foundation
import LocalStore
import Model
import SQLiteKit
import ServerCore
import Testing
import Wire

@testable import Simulator

/// A device of the scene: each call tells the oracle what its person was told.
final class SceneDevice {
  let number: Int
  let home: HomeDirectory
  private(set) var store: LocalStore
  private unowned let scene: OracleScene

  init(_ scene: OracleScene, number: Int) throws {
    self.scene = scene
    self.number = number
    home = HomeDirectory(path: scene.folder + "/device-\(number)")
    store = try LocalStore.open(home, options: .live, at: Self.moment(scene))
  }

  var account: AccountID? { try? store.session()?.accountID }

  private static func moment(_ scene: OracleScene) -> Moment {
    scene.advance()
    return Moment(
      wall: OracleScene.start.advanced(byMilliseconds: scene.now), monotonicMilliseconds: scene.now)
  }

  var moment: Moment { Self.moment(scene) }

  // MARK: People

  func signIn(_ phone: String) throws {
    try signInUntold(phone)
    scene.oracle.signedIn(try #require(account), on: number, now: scene.now)
  }

  /// Signs in without telling the person.
  func signInUntold(_ phone: String) throws {
    scene.advance(seconds: 120)
    let asked = try scene.ask("POST", Route.verifications, VerificationRequest(phone: phone, region: nil).json())
    let verification = try VerificationResponse(jsonBytes: asked.response.body)
    let code = try #require(asked.outcome.codes.first).code
    let request = SessionRequest(verificationID: verification.verificationID, code: code, deviceName: "scene")
    let answer = try SessionResponse(jsonBytes: scene.ask("POST", Route.sessions, request.json()).response.body)
    try store.signIn(
      Session(
        accountID: answer.user.id, phone: answer.user.phone, accessToken: answer.tokens.accessToken,
        refreshToken: answer.tokens.refreshToken, accessExpiresAt: answer.tokens.expiresAt, alertKey: answer.alertKey),
      at: moment)
  }

  func signOut(agreeing change: (inout SignOutAgreement) -> Void = { _ in }) throws {
    scene.look()
    var agreement = try store.signOutAgreement(at: moment)
    change(&agreement)
    try store.finishSignOut(of: try store.beginSignOut(agreement, at: moment), agreement)
    scene.oracle.signedOut(agreement, on: number, now: scene.now)
  }

  @discardableResult
  func raise(message: String? = nil) throws -> AlertID {
    let activation = try store.activateAlert(AlertDraft(message: message), at: moment)
    scene.oracle.raised(activation, on: number, account: account, now: scene.now)
    return activation.alert.id
  }

  /// Calls for help through the spool, as if the store could not be written.
  @discardableResult
  func raiseApart(message: String? = nil, isDrill: Bool = false) throws -> AlertID {
    let activation = try Spool.activate(
      AlertDraft(message: message, isDrill: isDrill), home: home,
      options: StoreOptions(random: StoreOptions.live.random), at: moment)
    scene.oracle.raised(
      activation, saying: isDrill ? nil : message, on: number, account: account, now: scene.now)
    return activation.alert.id
  }

  func takeInSpool() { store.takeInSpool(at: moment) }

  func end() throws {
    let ended = try store.deactivateAlerts(at: moment)
    scene.oracle.ended(ended, on: number, account: account, now: scene.now)
  }

  @discardableResult
  func put(_ id: ContactID? = nil, _ name: String = "Ana", channel: String? = nil) throws -> ContactID {
    let details = try ContactDetails(
      name: name, phone: "+12025550123", isResponder: true, isDependent: false,
      channels: [Channel(channel ?? "https://\(name.lowercased()).example/hook")])
    let contact = try store.putContact(id, details, at: moment)
    scene.oracle.putContact(contact, on: number, account: account, now: scene.now)
    return contact.id
  }

  func remove(_ id: ContactID) throws {
    _ = try store.removeContact(id, at: moment)
    scene.oracle.removedContact(id, on: number, account: account, now: scene.now)
  }

  func discard(_ kind: String) throws {
    let item = try #require(try store.queue().first { $0.kind == kind })
    scene.oracle.discarded(try store.discard(item.id, at: moment), on: number, now: scene.now)
  }

  // MARK: Machine

  enum Fault {
    case none
    /// The answer is lost on the way.
    case lostAnswer
    /// The server dies after its commit, before it can answer.
    case diesAnswering
    /// The answer is lost, and the test reports another one to the oracle.
    case untold
  }

  /// Sends and fetches until nothing is left to do.
  func sync(_ fault: Fault = .none) throws {
    for lane in [Lane.emergency, .routine] {
      var hasMore = true
      while hasMore { hasMore = try exchange(lane, fault) }
    }
  }

  /// Runs one exchange. Returns whether there is more.
  @discardableResult
  func exchange(_ lane: Lane, _ fault: Fault = .none, isPullOnly: Bool = false) throws -> Bool {
    var batch = try store.nextBatch(BatchSelection(lane: lane, maximumItems: 50, maximumBytes: 65_536))
    if isPullOnly {
      batch.mutations = []
      batch.notifications = []
    }
    let session = try #require(try store.session())
    let body = SyncRequestWriter.body(
      deviceID: batch.deviceID, cursor: batch.cursor, mutations: batch.mutations, notifications: batch.notifications,
      limit: 50)
    let answer = try scene.ask(
      "POST", Route.sync, body, token: session.accessToken, account: session.accountID,
      isTold: fault != .diesAnswering && fault != .untold)
    if fault == .diesAnswering, let last = scene.lastExchange {
      scene.oracle.diedAnswering(last.request, account: last.account, store: scene.server, now: scene.now)
    }
    guard fault == .none else { return false }
    let applied = try store.apply(try SyncResponse(jsonBytes: answer.response.body), to: batch, at: moment)
    return applied.hasMore || applied.needsPullFromStart
  }

  /// Changes the file without the store.
  func spoil(_ sql: String) throws {
    let connection = try Connection(path: home.databasePath)
    defer { connection.close() }
    try connection.execute("PRAGMA foreign_keys = OFF; " + sql)
  }

  func look() { scene.oracle.look(at: store, of: number, now: scene.now) }

  func reopen() throws {
    store.close()
    store = try LocalStore.open(home, options: .live, at: moment)
    look()
  }
}
