import Model
import Secrets
import ServerCore
import ServerStoreSQLite
import Wire

/// The real server core on the real embedded store, on a machine that can die. The simulated network stands in for its sockets.
final class SimulatedServer {
  private let world: World
  private let disk: MachineDisk
  private let responders: Responders
  private let configuration: ServerConfiguration
  private var random: SimulatedRandom
  private var seeds: SimulatedRandom
  private var process: Int32 = 0
  private(set) var store: SQLiteServerStore?
  private var core: ServerCore?
  private var streams: [EventStream] = []
  private var deliveries: DeliveryLoop?
  /// The loop of the process that died last.
  private var formerDeliveries: DeliveryLoop?
  /// Server time minus true time.
  private(set) var clockOffset: Int64 = 0
  /// Sent one-time codes by telephone number.
  private(set) var codes: [String: String] = [:]
  /// The account of each token and alert key.
  private var accounts: [String: AccountID] = [:]
  private var alertKeys: [AccountID: [String]] = [:]
  /// The exchanges with items that it answered, in order.
  private(set) var exchanges: [(account: AccountID, body: [UInt8])] = []
  /// Requests during which the server died.
  private var unknown: [(request: ServerRequest, account: AccountID?)] = []
  /// What it was called for; nil where that is not kept.
  private(set) var history: ServerCalls?
  var keepsHistory = false
  /// It is of an earlier version, and sends a heartbeat every 25 s whatever a device asks for.
  var ignoresHeartbeat = false
  /// The probability that the server dies in the middle of a request.
  var deaths = 0.0
  /// The probability that its disk fails in the middle of one.
  var diskErrors = 0.0
  private(set) var backups = 0
  private(set) var restores = 0
  /// The total distance of its clock's jumps.
  private(set) var clockJumps: Int64 = 0

  init(world: World, folder: String, responders: Responders) {
    self.world = world
    self.responders = responders
    disk = MachineDisk(folder: folder)
    random = world.random("server")
    seeds = world.random("server's secrets")
    var configuration = ServerConfiguration(publicURL: Network.endpoint)
    configuration.authentication.resendDelayMilliseconds = 0
    configuration.authentication.codesPerNumberAndHour = 1000
    configuration.authentication.codesPerNumberAndDay = 1000
    configuration.authentication.codesPerAddressAndHour = 1000
    configuration.authentication.codesPerNetworkAndHour = 1000
    configuration.authentication.codesPerNumberNetworkAndHour = 1000
    configuration.authentication.codesPerNumberNetworkAndDay = 1000
    configuration.authentication.codesPerCountryAndHour = 1000
    // So that a history that a restore lost is offered again within the hour for settling.
    configuration.limits.newAlerts.intervalMilliseconds = 1000
    configuration.smsGateway = Self.smsGateway
    // Short lifetimes, so that tokens expire within a run.
    configuration.authentication.accessTokenLifetimeMilliseconds = random.one(of: [90_000, 240_000, 3_600_000])
    configuration.retention.alertDays = Retention.minimumDays
    self.configuration = configuration
  }

  /// It is frozen until then.
  private(set) var frozenUntil: Int64?
  /// What was sent to it in the meantime, and waits in its sockets.
  private var unread: [() -> Void] = []

  var isUp: Bool { core != nil }
  private var path: String { disk.folder + "/server.sqlite" }

  func moment() -> ServerMoment {
    var seed: [UInt8] = []
    for _ in 0..<4 { withUnsafeBytes(of: seeds.next().littleEndian) { seed += $0 } }
    return ServerMoment(now: world.trueTime.advanced(byMilliseconds: clockOffset), entropy: Entropy(seed: seed))
  }

  // MARK: Its lifetime

  func start() {
    guard core == nil else { return }
    process = disk.newProcess()
    do {
      let (store, core, moment) = try disk.opening(for: process) {
        let store = try SQLiteServerStore.open(path: path, vfs: disk.vfsName)
        let moment = self.moment()
        let keys = try ServerKeys.load(from: store, at: moment)
        return (store, ServerCore(configuration: configuration, keys: keys), moment)
      }
      if keepsHistory { history = ServerCalls(configuration: configuration, start: moment) }
      keepsHistory = false
      self.store = store
      self.core = core
      world.note("server", "starts")
      settleUnknown(store)
      formerDeliveries?.loseAttempts()
      formerDeliveries = nil
      deliveries = DeliveryLoop(world: world, server: self, responders: responders)
      deliveries?.look()
    } catch {
      world.note("server", "cannot start: \(error)")
      world.after(1000) { [self] in start() }
    }
  }

  private func settleUnknown(_ store: SQLiteServerStore) {
    let requests = unknown
    unknown = []
    for (request, account) in requests {
      disk.opening(for: process) {
        world.oracle.diedAnswering(request, account: account, store: store, now: world.now)
      }
    }
  }

  /// Dies at once, between two requests or in one. `losesPower`: and loses what was not synced.
  func die(losesPower: Bool) {
    guard core != nil else { return }
    disk.kill(process)
    resume()
    core = nil
    world.disturbPresses()
    deliveries?.stop()
    formerDeliveries = deliveries
    deliveries = nil
    store = nil
    let ended = streams
    streams = []
    for stream in ended where random.chance(0.7) { stream.tell(.ended) }
    if losesPower || disk.isWithoutPower {
      let lost = disk.loseUnsynced(seed: random.next())
      world.note("server", "loses its power and \(lost) writes")
    } else {
      world.note("server", "is killed")
    }
  }

  /// Dies for good, and lets go of all that knows it.
  func shutDown() {
    die(losesPower: false)
    formerDeliveries = nil
    unread = []
  }

  func dieAndComeBack(losesPower: Bool) {
    die(losesPower: losesPower)
    world.after(random.number(200...30_000)) { [self] in start() }
  }

  func freeze(milliseconds: Int64) {
    guard isUp, frozenUntil == nil else { return }
    let end = world.now + milliseconds
    frozenUntil = end
    world.disturbPresses()
    world.note("server", "freezes")
    world.after(milliseconds) { [self] in if frozenUntil == end { resume() } }
  }

  func resume() {
    guard frozenUntil != nil else { return }
    frozenUntil = nil
    world.note("server", "continues")
    for arrive in unread { world.after(1, arrive) }
    unread = []
  }

  /// Runs `arrive` when the server reads again, or is gone.
  func keepUnread(_ arrive: @escaping () -> Void) { unread.append(arrive) }

  func jumpClock(by milliseconds: Int64) {
    clockOffset += milliseconds
    clockJumps += abs(milliseconds)
    world.note("server", "its clock jumps by \(milliseconds) ms")
    deliveries?.look()
  }

  /// Copies the store, as an operator does every night.
  func backUp() {
    guard isUp else { return }
    closeForCopy()
    disk.copy(["server.sqlite", "server.sqlite-wal"], suffix: ".backup", isBack: false)
    backups += 1
    world.oracle.backedUp(now: world.now)
    world.note("server", "is backed up")
    start()
  }

  /// Continues from the last backup, and loses everything since.
  func restore() {
    guard isUp, backups > 0 else { return }
    closeForCopy()
    disk.copy(["server.sqlite", "server.sqlite-wal"], suffix: ".backup", isBack: true)
    restores += 1
    unknown = []
    world.oracle.restored(now: world.now)
    world.note("server", "is restored from its backup")
    start()
  }

  /// Closed properly, so that the files are complete.
  private func closeForCopy() {
    disk.opening(for: process) { store?.close() }
    die(losesPower: false)
  }

  // MARK: Requests

  /// Takes text messages to responders and one-time codes, and hands over what responders text.
  static let smsGateway: GatewayTemplate = {
    var gateway = GatewayTemplate(url: "https://sms.example/send")
    gateway.answers = SMSAnswers(secret: VigilTexts.secret)
    return gateway
  }()

  /// Nil if nobody answers.
  func respond(to request: ServerRequest) -> ServerResponse? {
    guard isUp else { return nil }
    let account = request.authorization.flatMap { accounts[$0] }
    let moment = moment()
    guard
      let outcome = run(
        "\(request.method) \(request.path)",
        { core, store in
          core.respond(to: request, at: moment, in: store)
        })
    else {
      unknown.append((request, account))
      return nil
    }
    if case .full(let answer) = outcome.response {
      world.oracle.answered(request, answer, account: account, now: world.now)
      // A 5xx does not say whether the work was done.
      if answer.status >= 500 { unknown.append((request, account)) }
      if let store, answer.status >= 500 { settleUnknown(store) }
      learnTokens(request, answer, account)
      keepExchange(request, answer, account)
    }
    for code in outcome.codes { codes[code.phone] = code.code }
    tellStreams(of: outcome.changedAccounts)
    if outcome.hasNewDeliveries { deliveries?.look() }
    return outcome.response
  }

  /// Runs part of the core, in which the server may die, or its disk may fail. Nil if it is dead, or was before.
  func run<Result>(
    _ what: String, _ body: @escaping (ServerCore, any ServerStore) throws -> Result
  ) rethrows -> Result? {
    guard let core, let store else { return nil }
    let dies = !world.isHealed && random.chance(deaths)
    let losesPower = random.chance(0.5)
    if dies { disk.armDeath(of: losesPower ? nil : process, before: Int(random.number(0...8))) }
    let fails = !dies && !world.isHealed && random.chance(diskErrors)
    if fails {
      armError()
      world.disturbPresses()
    }
    defer {
      if fails { disk.disarmError() }
    }
    let result = try disk.opening(for: process) { try body(core, store) }
    if disk.isDead(process) {
      world.note("server", "dies in \(what)")
      dieAndComeBack(losesPower: losesPower)
      return nil
    }
    if dies { disk.disarmDeath(of: losesPower ? nil : process) }
    history?.calls.append(ServerCall(what, result, body))
    return result
  }

  private func armError() {
    let code = random.one(of: SimulatedDisk.errors)
    disk.armError(code, at: Int(random.number(0...8)), forever: random.chance(0.2), applies: random.chance(0.3))
  }

  /// Reads the store outside of any request; nil while it is down.
  func inspect<Result>(_ body: (SQLiteServerStore) throws -> Result) rethrows -> Result? {
    guard let store else { return nil }
    return try disk.opening(for: process) { try body(store) }
  }

  /// Runs `body` on the core and the store, outside of the simulated time; nil while the server is down.
  func alone<Result>(_ body: (ServerCore, SQLiteServerStore) throws -> Result) rethrows -> Result? {
    guard let core, let store else { return nil }
    return try disk.opening(for: process) { try body(core, store) }
  }

  var knownAccounts: [AccountID] { alertKeys.keys.sorted { $0.words < $1.words } }

  func alertKeys(of account: AccountID) -> [String] { alertKeys[account] ?? [] }

  private func keepExchange(_ request: ServerRequest, _ answer: FullResponse, _ account: AccountID?) {
    guard let account, request.path == Route.sync, answer.status == 200,
      let sent = try? SyncRequest(jsonBytes: request.body), !sent.mutations.isEmpty || !sent.notifications.isEmpty
    else { return }
    exchanges.append((account, request.body))
  }

  func account(ofToken token: String) -> AccountID? { accounts["Bearer " + token] }

  private func learnTokens(_ request: ServerRequest, _ answer: FullResponse, _ account: AccountID?) {
    if request.path == Route.sessions, let session = try? SessionResponse(jsonBytes: answer.body) {
      for token in [session.tokens.accessToken, session.tokens.refreshToken, session.alertKey] {
        accounts["Bearer " + token] = session.user.id
      }
      alertKeys[session.user.id, default: []].append(session.alertKey)
    } else if request.path == Route.tokens, let tokens = try? TokenResponse(jsonBytes: answer.body),
      let asked = try? TokenRequest(jsonBytes: request.body)
    {
      let account = accounts["Bearer " + asked.refreshToken]
      accounts["Bearer " + tokens.accessToken] = account
      accounts["Bearer " + tokens.refreshToken] = account
    }
  }

  // MARK: Event streams

  func add(_ stream: EventStream) {
    streams.removeAll { $0.device === stream.device }
    streams.append(stream)
    stream.tell(.opened)
    beat(stream)
  }

  private func beat(_ stream: EventStream) {
    let seconds = ignoresHeartbeat ? StreamEvent.heartbeatSeconds : stream.heartbeatSeconds
    world.after(Int64(seconds) * 1000) { [self] in
      guard streams.contains(where: { $0 === stream }) else { return }
      stream.tell(.said(.heartbeat))
      beat(stream)
    }
  }

  func tellStreams(of accounts: [AccountID]) {
    for stream in streams where accounts.contains(stream.account) { stream.tell(.said(.change)) }
  }

  /// The link to the device is gone, and so is its stream, whenever either side notices.
  func dropStreams(of device: SimulatedDevice) {
    streams.removeAll { $0.device === device }
  }
}
