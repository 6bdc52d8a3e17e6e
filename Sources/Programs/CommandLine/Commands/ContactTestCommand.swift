import CurlTransport
import DeviceCore
import LocalStore
import Model
import Wire

/// `contacts test`: a drill that one contact alone is told of, and that asks them to press "I got this".
struct ContactTestCommand {
  private static let longestWaitSeconds = 1800
  /// For the first exchange with the server, where it has not said yet what it can do.
  private static let firstExchangeMilliseconds: Int64 = 10_000

  private let context: Context
  private let store: LocalStore
  private let contact: Contact
  private var test: ContactTest
  private var told: [Receipt] = []

  private var name: String { contact.details.name.printable }

  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let wait = try AlertInput.integer(context.invocation.value("wait") ?? "60", "--wait", in: 0...longestWaitSeconds)
    let store = try context.openStore(notSaved: true)
    let contact = try ContactCommands.named(context.invocation.argument(0) ?? "", in: store, context)
    let outlook = SendingOutlook.of(store)
    guard case .possible(isExpired: false) = outlook else { throw unsendable(outlook) }
    let test = try start(contact, store, context)
    var command = Self(context: context, store: store, contact: contact, test: test)
    context.console.say(ReadinessTexts.started(command.name))
    if wait > 0 { context.console.say(ReadinessTexts.waiting) }
    try command.follow(forMilliseconds: Int64(wait) * 1000)
    return try command.conclude()
  }

  private static func unsendable(_ outlook: SendingOutlook) -> Failure {
    switch outlook {
    case .noServer: Failure(.unreachable, "not_configured", AccountTexts.serverNotSet)
    case .notSignedIn, .possible: Failure(.notSignedIn, "not_signed_in", ReadinessTexts.signInFirst)
    }
  }

  /// Asks a server that has not said yet what it can do, and then starts the test.
  private static func start(_ contact: Contact, _ store: LocalStore, _ context: Context) throws(Failure) -> ContactTest
  {
    var start = try attempt(contact, store, context)
    if start == .refused(.unknownServer) {
      // What fails here is said by the refusal that stays.
      _ = try? SyncWorker.runOnce(store: store, deadlineMilliseconds: firstExchangeMilliseconds)
      start = try attempt(contact, store, context)
    }
    switch start {
    case .running(let test): return test
    case .refused(let obstacle):
      let name = contact.details.name.printable
      throw Failure(.refused, obstacle.rawValue, ReadinessTexts.refused(obstacle, name))
    }
  }

  private static func attempt(
    _ contact: Contact, _ store: LocalStore, _ context: Context
  ) throws(Failure) -> ContactTestStart {
    let moment = DeviceClock.now()
    return try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.testContact(contact.id, utcOffsetMinutes: DeviceClock.utcOffsetMinutes(at: moment.wall), at: moment)
    }
  }

  private init(context: Context, store: LocalStore, contact: Contact, test: ContactTest) {
    self.context = context
    self.store = store
    self.contact = contact
    self.test = test
  }

  /// Sends and receives as the background worker does, until the test is over or the time is. Always sends once.
  private mutating func follow(forMilliseconds limit: Int64) throws(Failure) {
    guard limit > 0, let watcher = StoreWatcher(store.home) else { return try sendOnce() }
    let end = WorkerEnd()
    let worker = SyncWorker(store: store)
    do throws(SyncWorkerError) {
      try worker.start { result in
        end.set(result)
        watcher.interrupt()
      }
    } catch {
      return try sendOnce()
    }
    let deadline = DeviceClock.monotonicMilliseconds() + limit
    try read()
    while !test.isOver, !end.isSet {
      let left = deadline - DeviceClock.monotonicMilliseconds()
      guard left > 0 else { break }
      _ = watcher.wait(milliseconds: left)
      try read()
    }
    worker.stop()
    _ = end.wait(milliseconds: 2000)
    try read()
  }

  private mutating func sendOnce() throws(Failure) {
    // Whether it was sent is read from the store.
    _ = try? SyncWorker.runOnce(store: store, deadlineMilliseconds: Self.firstExchangeMilliseconds)
    try read()
  }

  /// Reads how far it got, and says what is new.
  private mutating func read() throws(Failure) {
    let id = test.alertID
    guard let test = try context.attempt({ () throws(LocalStoreError) in try store.contactTest(id) }) else { return }
    self.test = test
    let time = LocalTime(now: DeviceClock.now().wall)
    for receipt in test.receipts where receipt.state != .queued && !told.contains(receipt) {
      told.append(receipt)
      context.console.say("  " + text(receipt, time))
    }
  }

  private func text(_ receipt: Receipt, _ time: LocalTime) -> String {
    receipt.state == .acknowledged
      ? ReadinessTexts.answered(name, receipt.channel.rawValue, context.console)
      : ReceiptText.text(receipt, time, context.console)
  }

  private func conclude() throws(Failure) -> ExitStatus {
    let readiness = try context.attempt { () throws(LocalStoreError) in try store.readiness() }
    context.console.json { json in
      json.member("contact_id", contact.id.description)
      json.member("name", contact.details.name)
      json.member("answered", test.isAnswered)
      json.member("stage", test.acceptedAt == nil ? DeliveryStage.saved.rawValue : DeliveryStage.accepted.rawValue)
      json.member("refusal", test.refusal)
      json.key("channels")
      json.array { for receipt in test.receipts { AlertJSON.write(receipt, to: &$0) } }
      ReadinessJSON.write(readiness, to: &json)
    }
    let outcome = outcome
    if let line = outcome.line { context.console.say(line) }
    context.console.say(ReadinessTexts.line(readiness, now: DeviceClock.now().wall, context.console))
    return outcome.status
  }

  private var outcome: (line: String?, status: ExitStatus) {
    if test.isAnswered { return (nil, .done) }
    if let refusal = test.refusal {
      return (ReadinessTexts.notTaken(Sentences.closed(refusal.printable), context.console), .refused)
    }
    if !test.receipts.isEmpty, test.receipts.allSatisfy({ $0.state == .failed }) {
      return (ReadinessTexts.failed(name), .refused)
    }
    let left = Alert.testMilliseconds - DeviceClock.now().wall.milliseconds(since: test.startedAt)
    let minutes = max(1, (left + 59_999) / 60_000)
    return (ReadinessTexts.unanswered(name, minutes: minutes, isSent: test.acceptedAt != nil), .unreachable)
  }
}
