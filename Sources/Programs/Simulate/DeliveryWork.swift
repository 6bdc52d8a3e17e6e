import Model
import Secrets
import ServerCore
import SystemKit
import Wire

/// Messages of many people that are queued in a store, leased, and written down as sent.
struct DeliveryWork {
  /// How many messages the alert of one account has: the usual number of responders' channels.
  private static let perAlert = 4
  private static let hosts = 1000

  struct Result {
    var count: Int
    var batch: Int
    /// Who sent one message at a time; nil where each batch was given back as one.
    var senders: Int?
    var seconds: Double
    /// How long each transaction took, in seconds, in order of length.
    var transactions: [Double]

    var json: String {
      let rate = Int(Double(count) / seconds)
      let sent = senders.map { "\"senders\":\($0),\"transactions\":\(transactions.count)," } ?? ""
      return """
        {"claimed":\(count),"batch":\(batch),\(sent)"seconds":\(rounded(seconds)),"per_second":\(rate),\
        "p50_ms":\(rounded(1000 * share(0.5))),"p99_ms":\(rounded(1000 * share(0.99)))}
        """
    }

    private func share(_ share: Double) -> Double {
      transactions[min(transactions.count - 1, Int(Double(transactions.count) * share))]
    }

    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
  }

  let store: any ServerStore
  private let core: ServerCore

  /// - Parameter inFlight: how many messages are under way at once.
  init(store: any ServerStore, inFlight: Int) throws {
    self.store = store
    var configuration = ServerConfiguration(publicURL: "https://server.example")
    // Messages to hosts that nobody has heard of get a part of the room.
    configuration.deliveries.inFlight.all = max(configuration.deliveries.inFlight.all, 2 * inFlight)
    core = ServerCore(configuration: configuration, keys: try ServerKeys.load(from: store, at: Self.moment))
  }

  private static var moment: ServerMoment {
    ServerMoment(now: Timestamp(milliseconds: KernelClock.wall.milliseconds()), entropy: .live())
  }

  /// Queues so many messages, and those that fill the last alert.
  func queue(_ count: Int) throws {
    for number in 0..<(count + Self.perAlert - 1) / Self.perAlert {
      let writes = try writes(ofAccount: number)
      try store.write { try $0.apply(writes) }
    }
  }

  /// A new account with an alert, and the messages of that.
  private func writes(ofAccount number: Int) throws -> RequestWrites {
    var (now, entropy) = (Self.moment.now, Entropy.live())
    let account: AccountID = entropy.identifier(at: now)
    let alert = Alert(id: entropy.identifier(at: now), startedAt: now, message: "help")
    var set = WriteSet(account: account)
    set.newAlerts = [
      StoredAlert(
        account: account, record: AlertRecord(alert: alert, ordinal: 1, receivedAt: now, endReceivedAt: nil),
        device: entropy.identifier(at: now), utcOffsetMinutes: nil, notifiedAt: now)
    ]
    for place in 0..<Self.perAlert {
      let host = (number * Self.perAlert + place) % Self.hosts
      let target = DeliveryTarget(
        account: account, alert: alert.id, contact: entropy.identifier(at: now),
        channel: try Channel("https://h\(host).example/"))
      set.newDeliveries.append(
        StoredDelivery(
          id: entropy.identifier(at: now), target: target, contactName: "Ana", notice: .activated, priority: .help,
          state: .queued, stateAt: now, createdAt: now, dueAt: now))
    }
    var writes = RequestWrites()
    writes.newAccount = AccountRecord(id: account, phone: "+1\(2_000_000_000 + number)", epoch: "e", createdAt: now)
    writes.accounts = [set]
    return writes
  }

  /// Leases `count` messages, so many in a transaction, which also writes down that those before were taken.
  func workOff(_ count: Int, inBatchesOf batch: Int) throws -> Result {
    try core.takeOverDeliveries(at: Self.moment, in: store)
    var (claimed, done) = (0, [DeliveryCompletion]())
    var transactions: [Double] = []
    let start = KernelClock.monotonic.seconds()
    while claimed < count || !done.isEmpty {
      let attempts = try turn(claiming: min(batch, count - claimed), after: done, &transactions)
      if attempts.isEmpty && done.isEmpty { break }
      claimed += attempts.count
      done = attempts.map(DeliveryCompletion.init(taking:))
    }
    return Result(
      count: claimed, batch: batch, seconds: KernelClock.monotonic.seconds() - start,
      transactions: transactions.sorted())
  }

  /// Leases `count` messages to so many senders, each of which has one at a time. A transaction leases one to each that has none, and writes
  /// down what was given back meanwhile.
  func workOff(_ count: Int, bySenders senders: Int) throws -> Result {
    try core.takeOverDeliveries(at: Self.moment, in: store)
    let threads = try MessageSenders(senders)
    defer { threads.stop() }
    var (claimed, underWay) = (0, 0)
    var transactions: [Double] = []
    let start = KernelClock.monotonic.seconds()
    repeat {
      let done = underWay > 0 ? threads.takeAnswers() : []
      underWay -= done.count
      let attempts = try turn(claiming: min(senders - underWay, count - claimed), after: done, &transactions)
      threads.start(attempts)
      claimed += attempts.count
      underWay += attempts.count
    } while underWay > 0
    return Result(
      count: claimed, batch: 1, senders: senders, seconds: KernelClock.monotonic.seconds() - start,
      transactions: transactions.sorted())
  }

  private func turn(
    claiming limit: Int, after done: [DeliveryCompletion], _ transactions: inout [Double]
  ) throws -> [DeliveryAttempt] {
    let (begin, moment) = (KernelClock.monotonic.seconds(), Self.moment)
    defer { transactions.append(KernelClock.monotonic.seconds() - begin) }
    return try store.write { transaction in
      _ = try core.completeDeliveries(done, at: moment, in: transaction)
      return limit > 0 ? try core.claimDeliveries(limit: limit, at: moment, in: transaction).attempts : []
    }
  }
}
