import CurlKit
import Model
import ServerCore

/// The outbound loop's own state, which its thread alone sees.
struct OutboundWorker {
  static let maximumInFlight = 128
  static let maximumBodyBytes = 64 << 10
  /// So many deliveries are claimed, and as many answers written down, with one commit: requests come in between.
  static let batchLimit = 16

  private enum Job {
    case delivery(DeliveryAttempt)
    /// The answer's status was seen and written down; only its body is still coming.
    case answered(bytes: Int)
    case code(CodeQueue.Item)
  }

  private let context: OutboundLoop.Context
  private let inbox: OutboundInbox
  /// Nil after it failed, until a new one is made.
  private var transport: (any OutboundTransport)?
  /// How often it failed since it last worked.
  private var transportFailures = 0
  /// When to make a new one; monotonic milliseconds.
  private var restartAt: Int64 = 0
  private var jobs: [CurlRequestID: Job] = [:]
  private var codes = CodeQueue()
  /// Answers that are not in the store yet: they are written with the next look, several with one commit.
  private var answers: [DeliveryCompletion] = []
  /// Whether the leases of the process before this one were ended.
  private var hasTakenOver = false
  /// When to look for deliveries; monotonic milliseconds, nil while nothing waits.
  private var lookAt: Int64? = 0
  private var storageFailures = 0
  /// When to remove what has expired.
  private var tidyAt: Int64 = 0

  init(context: OutboundLoop.Context, transport: any OutboundTransport, inbox: OutboundInbox) {
    self.context = context
    self.transport = transport
    self.inbox = inbox
  }

  /// Runs until the inbox says stop.
  mutating func run() {
    while true {
      let word = inbox.take()
      if word.isStopped { break }
      let now = monotonicMilliseconds()
      if word.hasDeliveries { lookAt = now }
      codes.add(word.codes, at: now)
      if transport == nil, restartAt <= now { restart(at: now) }
      if let transport {
        for item in codes.takeDue(at: now) { start(item, with: transport) }
      }
      if let lookAt, lookAt <= monotonicMilliseconds(), transport != nil || !answers.isEmpty {
        look(at: now, with: transport)
      }
      if tidyAt <= now { tidy(at: now) }
      waitForEvents()
    }
    giveBack("the server was stopped", isLast: true)
  }

  private mutating func waitForEvents() {
    guard let transport else { return inbox.wait(milliseconds: min(restartAt, tidyAt) - monotonicMilliseconds()) }
    let next = [lookAt, codes.nextDue, tidyAt].compactMap { $0 }.min()
    let wait = next.map { Int(clamping: max(0, $0 - monotonicMilliseconds())) }
    do throws(CurlError) {
      let events = try transport.poll(timeoutMilliseconds: wait, watching: [inbox.descriptor]).events
      transportFailures = 0
      inbox.isWorking = true
      for event in events { handle(event) }
    } catch {
      breakDown(error)
    }
  }

  // The transport

  /// libcurl itself failed: what was under way waits in the queue until a new transport works.
  private mutating func breakDown(_ error: CurlError) {
    context.log("deliveries stand still: \(error.message)")
    inbox.isWorking = false
    transport = nil
    giveBack("the server could not send", isLast: false)
    restartAt = Self.retryTime(after: monotonicMilliseconds(), failures: transportFailures)
    transportFailures += 1
  }

  private mutating func restart(at now: Int64) {
    do throws(CurlError) {
      transport = try context.makeTransport()
      lookAt = now
      context.log("deliveries are tried again")
    } catch {
      breakDown(error)
    }
  }

  private static func retryTime(after now: Int64, failures: Int) -> Int64 {
    now + min(30_000, 500 << Int64(min(failures, 6)))
  }

  // Deliveries

  private var deliveriesInFlight: Int {
    jobs.values.count { if case .delivery = $0 { true } else { false } }
  }

  /// Writes down what was answered, claims what is due, as far as there is room, and finds out when to look again.
  private mutating func look(at now: Int64, with transport: (any OutboundTransport)?) {
    let room = transport == nil ? 0 : max(0, Self.maximumInFlight - deliveriesInFlight)
    do {
      let moment = context.moment()
      if !hasTakenOver {
        try context.core.takeOverDeliveries(at: moment, in: context.store)
        hasTakenOver = true
      }
      let batch = Array(answers.prefix(Self.batchLimit))
      let limit = min(room, Self.batchLimit)
      let claimed = try context.core.advanceDeliveries(batch, claiming: limit, at: moment, in: context.store)
      for answer in batch { context.log("delivery \(answer.id): \(Self.describe(answer.answer))") }
      answers.removeFirst(batch.count)
      storageFailures = 0
      context.wakeStreams(claimed.changedAccounts)
      if let transport { for attempt in claimed.attempts { start(attempt, with: transport) } }
      // What is due and was not given now waits for others of its kind: it is not asked for in a circle. With no room, the next
      // answer makes some and looks again.
      let shortest: Int64 = claimed.attempts.isEmpty ? 100 : 0
      let next = claimed.nextDue.map { now + max(shortest, $0.milliseconds(since: moment.now)) }
      lookAt = answers.isEmpty ? (room > 0 ? next : nil) : now
    } catch {
      storageFailures += 1
      context.log("deliveries wait for the store: \(Self.describe(error))")
      lookAt = storageRetryTime(after: now)
    }
  }

  private func storageRetryTime(after now: Int64) -> Int64 {
    Self.retryTime(after: now, failures: storageFailures)
  }

  private mutating func start(_ attempt: DeliveryAttempt, with transport: any OutboundTransport) {
    breakOff(before: attempt, with: transport)
    let request = CurlRequest(
      method: attempt.method, url: attempt.url, headers: attempt.headers.map { .init($0.name, $0.value) },
      body: attempt.body, connectTimeoutMilliseconds: min(10_000, attempt.timeoutMilliseconds),
      totalTimeoutMilliseconds: attempt.timeoutMilliseconds, maximumBodyBytes: Self.maximumBodyBytes, isStream: true,
      addressPolicy: attempt.allowsPrivateAddresses ? .any : .publicOnly)
    do throws(CurlError) {
      jobs[try transport.start(request)] = .delivery(attempt)
    } catch {
      record(attempt, Self.answer(to: error))
    }
  }

  /// Ends what is still under way and must not arrive after `attempt`. What is queued of it comes back when its lease is over.
  private mutating func breakOff(before attempt: DeliveryAttempt, with transport: any OutboundTransport) {
    for case (let id, .delivery(let earlier)) in jobs where attempt.replaces(earlier) {
      transport.cancel(id)
      jobs[id] = nil
    }
  }

  /// Keeps the answer for the next look, which is due.
  private mutating func record(_ attempt: DeliveryAttempt, _ answer: DeliveryAnswer) {
    answers.append(DeliveryCompletion(id: attempt.id, attempt: attempt.number, answer: answer))
    if storageFailures == 0 { lookAt = monotonicMilliseconds() }
  }

  /// Removes a part of what has expired; the rest soon, otherwise again in an hour.
  private mutating func tidy(at now: Int64) {
    do {
      let hasMore = try context.core.removeExpired(at: context.moment(), in: context.store)
      tidyAt = now + (hasMore ? 100 : 3_600_000)
    } catch {
      context.log("what has expired stays: \(Self.describe(error))")
      tidyAt = now + 3_600_000
    }
  }

  // Codes

  private mutating func start(_ item: CodeQueue.Item, with transport: any OutboundTransport) {
    guard let gateway = context.gateway else { return }
    do throws(CurlError) {
      jobs[try transport.start(CodeQueue.request(for: item.message, to: gateway))] = .code(item)
    } catch {
      context.log("the SMS gateway cannot be used: \(error.message)")
    }
  }

  private mutating func finish(_ item: CodeQueue.Item, failure: String?, isFinal: Bool) {
    let phone = maskedPhone(item.message.phone)
    guard let failure else {
      context.log("code sent to \(phone)")
      return
    }
    let isTriedAgain = !isFinal && codes.retry(item, at: monotonicMilliseconds())
    context.log("code to \(phone): \(failure)\(isTriedAgain ? ", will be tried again" : ", given up")")
  }

  // Events

  private mutating func handle(_ event: CurlEvent) {
    switch event {
    case .opened(let id, let head): opened(id, head)
    case .chunk(let id, let bytes): count(bytes.count, of: id)
    case .finished(let id, let response): finished(id, response.head)
    case .failed(let id, let error): failed(id, error)
    }
  }

  private mutating func opened(_ id: CurlRequestID, _ head: CurlResponseHead) {
    guard case .delivery(let attempt)? = jobs[id] else { return }
    jobs[id] = .answered(bytes: 0)
    record(attempt, .status(head.status, retryAfter: head.headers["retry-after"]))
  }

  /// Reads the answer's body to its end so that the connection can be used again, unless it is long.
  private mutating func count(_ bytes: Int, of id: CurlRequestID) {
    guard case .answered(let before)? = jobs[id] else { return }
    jobs[id] = .answered(bytes: before + bytes)
    guard before + bytes > Self.maximumBodyBytes else { return }
    transport?.cancel(id)
    jobs[id] = nil
  }

  private mutating func finished(_ id: CurlRequestID, _ head: CurlResponseHead) {
    switch jobs.removeValue(forKey: id) {
    case .delivery(let attempt)?: record(attempt, .status(head.status, retryAfter: head.headers["retry-after"]))
    case .code(let item)?:
      let failure = (200..<300).contains(head.status) ? nil : "the gateway answered \(head.status)"
      finish(item, failure: failure, isFinal: CodeQueue.isFinal(head.status))
    case .answered?, nil: break
    }
  }

  private mutating func failed(_ id: CurlRequestID, _ error: CurlError) {
    switch jobs.removeValue(forKey: id) {
    case .delivery(let attempt)?: record(attempt, Self.answer(to: error))
    case .code(let item)?: finish(item, failure: error.message, isFinal: error.code == .invalidRequest)
    case .answered?, nil: break
    }
  }

  /// Gives back what is under way, so that nothing need wait for the leases to end.
  private mutating func giveBack(_ reason: String, isLast: Bool) {
    let broken = jobs
    jobs = [:]
    for (id, job) in broken {
      transport?.cancel(id)
      switch job {
      case .delivery(let attempt): record(attempt, .networkFailure(reason))
      case .code(let item) where !isLast: finish(item, failure: reason, isFinal: false)
      case .code, .answered: break
      }
    }
    while isLast, !answers.isEmpty {
      let count = answers.count
      look(at: monotonicMilliseconds(), with: nil)
      // The store takes none: the leases end by themselves.
      guard answers.count < count else { return }
    }
  }

  // Words

  private static func answer(to error: CurlError) -> DeliveryAnswer {
    error.code == .addressRefused ? .addressRefused : .networkFailure(error.message)
  }

  private static func describe(_ answer: DeliveryAnswer) -> String {
    switch answer {
    case .status(let status, _): "answered \(status)"
    case .networkFailure(let reason): reason
    case .addressRefused: "the address is private"
    }
  }

  private static func describe(_ error: any Error) -> String {
    (error as? StorageError)?.message ?? "unknown error"
  }
}
