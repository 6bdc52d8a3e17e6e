import Model
import Secrets
import ServerCore
import Wire

/// The store on trial, with rows to put into it.
struct Bench: Sendable {
  static let now = Timestamp(milliseconds: 1_795_262_400_000)  // 2026-11-21T12:00:00Z
  static let endOfTime = Timestamp(milliseconds: 253_402_300_799_999)

  let subject: any StoreSubject

  init(_ subject: any StoreSubject) { self.subject = subject }

  var store: any ServerStore { subject.store }

  func after(seconds: Int64) -> Timestamp { Self.now.advanced(byMilliseconds: seconds * 1000) }

  /// The same for the same number.
  func identifier<Subject>(_ number: Int) -> Identifier<Subject> {
    Identifier(versionSevenAt: Self.now, random: (UInt64(number), UInt64(number)))
  }

  /// 32 bytes, as keyed hashes have.
  func hash(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).littleEndian) { Array($0) } + [UInt8](repeating: 5, count: 24)
  }

  // Rows

  var account: AccountID { identifier(1) }
  var other: AccountID { identifier(2) }
  var device: DeviceID { identifier(3) }

  func phone(_ number: Int) -> String { "+120255501\(10 + number)" }

  /// Makes accounts 1 and 2, with the telephones of these numbers.
  func addAccounts() throws {
    for number in [1, 2] {
      var writes = RequestWrites()
      writes.newAccount = AccountRecord(
        id: identifier(number), phone: phone(number), epoch: "epoch \(number)", createdAt: Self.now)
      try write(writes)
    }
  }

  func alert(
    _ number: Int, of account: AccountID? = nil, ordinal: Int64? = nil, endedAt: Timestamp? = nil,
    receivedAt: Timestamp = Bench.now, onlyContact: ContactID? = nil
  ) -> StoredAlert {
    let alert = Alert(
      id: identifier(number), startedAt: after(seconds: -5), endedAt: endedAt, message: "help \(number)",
      location: try? Location(latitude: 52.5, longitude: -13.4), isDrill: number.isMultiple(of: 2),
      onlyContact: onlyContact)
    let record = AlertRecord(
      alert: alert, ordinal: ordinal ?? Int64(number), receivedAt: receivedAt,
      endReceivedAt: endedAt.map { $0.advanced(byMilliseconds: 7) })
    return StoredAlert(
      account: account ?? self.account, record: record, device: device, utcOffsetMinutes: -90, notifiedAt: nil)
  }

  func contact(_ number: Int, phone: String = "+12025550188", isResponder: Bool = true) throws -> Contact {
    Contact(
      id: identifier(number),
      details: try ContactDetails(
        name: "Ana \(number)", phone: phone, isResponder: isResponder, isDependent: false,
        channels: [Channel("https://a.example/\(number)"), Channel("ntfy://b.example/topic")]))
  }

  func delivery(
    _ number: Int, about alert: Int, to contact: Int, of account: AccountID? = nil, call: Int = 0,
    state: DeliveryState = .queued, dueAt: Timestamp? = Bench.now
  ) throws -> StoredDelivery {
    let target = DeliveryTarget(
      account: account ?? self.account, alert: identifier(alert), contact: identifier(contact),
      channel: try Channel("https://a.example/\(contact)"))
    var delivery = StoredDelivery(
      id: identifier(number), target: target, contactName: "Ana \(contact)", notice: .activated, priority: .help,
      state: state, stateAt: Self.now, createdAt: Self.now, dueAt: state == .queued ? dueAt : nil)
    delivery.callNumber = call
    return delivery
  }

  func session(_ number: Int, of account: AccountID? = nil) -> SessionRecord {
    SessionRecord(
      id: identifier(number), accountID: account ?? self.account, deviceName: "phone \(number)",
      alertKeyHash: hash(number), createdAt: after(seconds: Int64(number)))
  }

  func tokens(_ number: Int, session: Int, generation: Int64 = 1) -> TokenRecord {
    TokenRecord(
      sessionID: identifier(session), generation: generation, accessHash: hash(number), refreshHash: hash(number + 1),
      salt: hash(number + 2), accessExpiresAt: after(seconds: 3600), refreshExpiresAt: after(seconds: 86_400))
  }

  /// Session 41 with tokens 51.
  func signIn() throws {
    var writes = RequestWrites()
    writes.newSession = session(41)
    writes.newTokens = tokens(51, session: 41)
    try write(writes)
  }

  // What the store is asked

  func write(_ writes: RequestWrites) throws { try store.write { try $0.apply(writes) } }

  func write(_ account: AccountID? = nil, _ change: (inout WriteSet) throws -> Void) throws {
    var set = WriteSet(account: account ?? self.account)
    try change(&set)
    var writes = RequestWrites()
    writes.accounts = [set]
    try write(writes)
  }

  /// Runs `body` in a transaction that is undone.
  func undone(_ body: (any ServerTransaction) throws -> Void) throws {
    struct Undo: Error {}
    do {
      try store.write { transaction in
        try body(transaction)
        throw Undo()
      }
    } catch is Undo {}
  }

  func requestFacts(_ change: (inout RequestNeeds) -> Void) throws -> RequestFacts {
    var needs = RequestNeeds()
    change(&needs)
    var facts = RequestFacts()
    try store.read { try $0.addFacts(needs, to: &facts) }
    return facts
  }

  /// - Parameter latest: after it everything is too late.
  func outlook(at now: Timestamp = Bench.now, latest: Timestamp = Bench.endOfTime) throws -> QueueOutlook {
    try store.read { try $0.outlook(at: now, latest: LatestTimes(latest)) }
  }

  func facts(of account: AccountID? = nil, _ change: (inout FactNeeds) -> Void) throws -> AccountFacts {
    let account = account ?? self.account
    var needs = FactNeeds()
    change(&needs)
    return try requestFacts { $0.accounts[account] = needs }.accounts[account] ?? AccountFacts()
  }

  func core() throws -> ServerCore {
    guard let secret = SecretKey(bytes: [UInt8](repeating: 9, count: SecretKey.byteCount)) else {
      throw StoreContract.Breach(description: "no key")
    }
    var configuration = ServerConfiguration(publicURL: "https://server.example")
    configuration.limits.newAlerts.burst = 10_000
    return ServerCore(configuration: configuration, keys: ServerKeys(secret: secret))
  }

  func moment(_ number: Int, at now: Timestamp = Bench.now) -> ServerMoment {
    ServerMoment(now: now, entropy: Entropy(seed: hash(number)))
  }
}

extension LatestTimes {
  /// The same for everything.
  init(_ time: Timestamp) { self.init(delivery: time, asking: time, silence: time) }
}
