import CurlKit
import Model
import ServerCore

/// The outbound loop's state, used by its thread alone.
struct OutboundWorker {
  static let maximumBodyBytes = 64 << 10
  /// The number of answers that the writer gets at once.
  static let batchLimit = 64
  /// The number of recorded answers whose bodies are read at once.
  static let drainLimit = 64
  /// An idle worker looks for deliveries this often, and so finds what a dead process left.
  static let idleMilliseconds: Int64 = 5000
  /// While the store fails, it is tried again this often at least: other processes on it take one that is silent for fifteen seconds for
  /// dead, and a try may take some of these.
  static let storeRetryMilliseconds: Int64 = 2000
  /// How long the last attempts of a server that is stopped have for their answers.
  static let lastAnswersMilliseconds: Int64 = 1000

  private enum Job {
    /// With its start, in monotonic milliseconds.
    case delivery(DeliveryAttempt, since: Int64)
    /// The answer's status is recorded; only its body is still arriving.
    case answered(bytes: Int)
    case code(CodeAttempt)

    var isUnanswered: Bool { if case .answered = self { false } else { true } }
  }

  private let context: ServerContext
  private let options: OutboundLoop.Options
  private let writer: StoreWriter
  private let inbox: OutboundInbox
  /// Nil after it failed, until a new one is made.
  private var transport: (any OutboundTransport)?
  /// How often it failed since it last worked.
  private var transportFailures = 0
  /// When to make a new one; monotonic milliseconds.
  private var restartAt: Int64 = 0
  private var jobs: [CurlRequestID: Job] = [:]
  /// The jobs that are `answered`, the oldest first.
  private var draining: [CurlRequestID] = []
  /// Answers that are not in the store yet. The next look records several with one commit.
  private var answers: [OutboundAnswer] = []
  private var backlog = AnswerBacklog()
  private var leases = DeliveryLeases()
  /// The writer has some of the answers and has not reported yet.
  private var isWriting = false
  /// Whether the leases of the process before this one were ended.
  private var hasTakenOver = false
  /// When to record answers and look for deliveries; monotonic milliseconds.
  private var lookAt: Int64 = 0
  private var storageFailures = 0
  /// The store's failure that was logged last; nil since it worked again.
  private var toldFailure: String?
  /// When to remove expired rows; monotonic milliseconds.
  private var tidyAt: Int64 = 0
  /// What is left of a round of housekeeping.
  private var unfinished: [HousekeepingPart] = []
  /// What the round has removed.
  private var removed = RemovedRows()

  init(
    context: ServerContext, options: OutboundLoop.Options, writer: StoreWriter, transport: any OutboundTransport,
    inbox: OutboundInbox
  ) {
    self.context = context
    self.options = options
    self.writer = writer
    self.transport = transport
    self.inbox = inbox
  }

  /// Runs until the inbox is stopped.
  mutating func run() {
    while true {
      let mail = inbox.take()
      let now = monotonicMilliseconds()
      take(mail, at: now)
      if mail.isStopped { return stop() }
      if transport == nil, restartAt <= now { restart(at: now) }
      if !isWriting, transport != nil || !answers.isEmpty, lookAt <= monotonicMilliseconds() { look(at: now) }
      if tidyAt <= now { tidy() }
      waitForEvents()
    }
  }

  /// Handles what the writer posted.
  private mutating func take(_ mail: OutboundInbox.Content, at now: Int64) {
    if inbox.takeStandstill() { backlog.noteStandstill() }
    if mail.look != nil { backlog.noteCommit() }
    let wasHeldUp = backlog.holdsUpClaims
    for written in mail.written { take(written, at: now) }
    if let housekeeping = mail.housekeeping { take(housekeeping, at: now) }
    for leased in mail.attempts { start(leased) }
    for attempt in mail.codes { start(attempt) }
    if let look = mail.look {
      // Deliveries that are due but were not given wait for room: do not ask for them in a busy loop.
      let shortest: Int64 = look.hasAttempts ? 0 : 100
      lookAt = now + min(Self.idleMilliseconds, look.nextDueMilliseconds.map { max(shortest, $0) } ?? .max)
    }
    // A claim shows that the store accepts writes.
    let mayWrite = storageFailures == 0 || mail.look != nil
    if !answers.isEmpty && mayWrite || wasHeldUp && !backlog.holdsUpClaims && answers.isEmpty { lookAt = now }
  }

  private mutating func take(_ written: OutboundInbox.Written, at now: Int64) {
    isWriting = false
    if let failure = written.failure { return storeFailed(failure, at: now) }
    noteWritten(count: written.count)
  }

  private mutating func noteWritten(count: Int) {
    for case .delivery(let delivery) in answers.prefix(count) {
      context.log(
        "delivery \(delivery.id): \(delivery.answer.description)", delivery.answer.isSuccess ? .info : .notice,
        ["alert": "\(delivery.target.alert)", "attempt": "\(delivery.attempt)"])
    }
    answers.removeFirst(count)
    if answers.isEmpty { backlog.end() }
    storageFailures = 0
    if toldFailure != nil { context.log("deliveries go on") }
    toldFailure = nil
  }

  private mutating func waitForEvents() {
    guard let transport else {
      let next = min(restartAt, tidyAt, answers.isEmpty || isWriting ? .max : lookAt)
      return inbox.wait(milliseconds: next - monotonicMilliseconds())
    }
    let next = min(isWriting ? .max : lookAt, tidyAt)
    let wait = Int(clamping: max(0, next - monotonicMilliseconds()))
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

  /// libcurl itself failed: running attempts go back to the queue until a new transport works.
  private mutating func breakDown(_ error: CurlError) {
    context.log("deliveries stand still: \(error.message)", .error)
    inbox.isWorking = false
    inbox.takesAttempts = false
    transport = nil
    giveBack("the server could not send")
    restartAt = Self.retryTime(after: monotonicMilliseconds(), failures: transportFailures, atMost: 30_000)
    transportFailures += 1
  }

  private mutating func restart(at now: Int64) {
    do throws(CurlError) {
      transport = try options.makeTransport()
      lookAt = now
      context.log("deliveries are tried again")
    } catch {
      breakDown(error)
    }
  }

  private static func retryTime(after now: Int64, failures: Int, atMost limit: Int64) -> Int64 {
    now + min(limit, 500 << Int64(min(failures, 6)))
  }

  // Deliveries

  /// Has answers recorded, and due deliveries claimed with the same commit.
  private mutating func look(at now: Int64) {
    do {
      if !hasTakenOver {
        try context.core.takeOverDeliveries(at: context.moment(), in: context.store)
        hasTakenOver = true
      }
    } catch {
      return storeFailed(error, at: now)
    }
    letAttemptsBeClaimed()
    isWriting = writer.write(Array(answers.prefix(Self.batchLimit)))
    // The writer has stopped; this thread is stopped next.
    if !isWriting {
      storageFailures += 1
      lookAt = now + Self.idleMilliseconds
    }
  }

  private func letAttemptsBeClaimed() {
    // Not before that: ending the leases of the previous process would end ours too.
    inbox.takesAttempts = transport != nil && hasTakenOver && !backlog.holdsUpClaims
  }

  private mutating func storeFailed(_ error: any Error, at now: Int64) {
    storageFailures += 1
    if !answers.isEmpty {
      backlog.noteFailure()
      letAttemptsBeClaimed()
    }
    // Once for a failure that lasts.
    let reason = Self.describe(error)
    if toldFailure != reason { context.log("deliveries wait for the store: \(reason)", .error) }
    toldFailure = reason
    lookAt = Self.retryTime(after: now, failures: storageFailures, atMost: Self.storeRetryMilliseconds)
  }

  private mutating func start(_ leased: LeasedAttempt) {
    let attempt = leased.attempt
    guard leases.mayStart(leased, at: context.readClocks()) else {
      return record(attempt, .notSent("the server's store stood still"), since: nil)
    }
    // It was claimed before the transport failed.
    guard let transport else { return record(attempt, .notSent("the server could not send"), since: nil) }
    breakOff(before: attempt, with: transport)
    do throws(CurlError) {
      jobs[try transport.start(CurlRequest(attempt))] = .delivery(attempt, since: monotonicMilliseconds())
    } catch {
      record(attempt, DeliveryAnswer(error), since: nil)
    }
  }

  /// Cancels running attempts that must not arrive after `attempt`, and records that: what waits for their end need not wait for that of
  /// their leases.
  private mutating func breakOff(before attempt: DeliveryAttempt, with transport: any OutboundTransport) {
    for case (let id, .delivery(let earlier, let start)) in jobs where attempt.replaces(earlier) {
      transport.cancel(id)
      jobs[id] = nil
      record(earlier, .replaced, since: start)
    }
  }

  /// Keeps the answer for the next look, which is due now.
  private mutating func record(_ attempt: DeliveryAttempt, _ answer: DeliveryAnswer, since start: Int64?) {
    let now = monotonicMilliseconds()
    let milliseconds = now - (start ?? now)
    record(.delivery(DeliveryCompletion(of: attempt, answer, afterMilliseconds: milliseconds)), at: now)
  }

  private mutating func record(_ attempt: CodeAttempt, _ answer: DeliveryAnswer) {
    record(
      .code(CodeCompletion(id: attempt.id, attempt: attempt.number, answer: answer)), at: monotonicMilliseconds())
  }

  private mutating func record(_ answer: OutboundAnswer, at now: Int64) {
    answers.append(answer)
    if storageFailures == 0 { lookAt = now }
  }

  /// Has some expired rows removed. The next time follows the report, or the end of the writer.
  private mutating func tidy() {
    tidyAt = .max
    _ = writer.keepHouse(unfinished)
  }

  /// Continues the round soon, or begins the next one in an hour.
  private mutating func take(_ housekeeping: OutboundInbox.Housekeeping, at now: Int64) {
    if let failure = housekeeping.failure {
      context.log("what has expired stays: \(Self.describe(failure))", .warning)
    }
    removed.add(housekeeping.removed)
    unfinished = housekeeping.unfinished
    tidyAt = now + (unfinished.isEmpty ? 3_600_000 : 100)
    guard unfinished.isEmpty else { return }
    removed.tell(context)
    removed = RemovedRows()
  }

  // Codes

  private mutating func start(_ attempt: CodeAttempt) {
    guard let transport else { return record(attempt, .notSent("the server could not send")) }
    breakOff(before: attempt, with: transport)
    do throws(CurlError) {
      let request = CurlRequest(attempt.request, timeoutMilliseconds: attempt.timeoutMilliseconds)
      jobs[try transport.start(request)] = .code(attempt)
    } catch {
      record(attempt, DeliveryAnswer(error))
    }
  }

  /// Cancels a running attempt with an older code, or reply, for the same telephone, which must not arrive after the newer one.
  private mutating func breakOff(before attempt: CodeAttempt, with transport: any OutboundTransport) {
    for case (let id, .code(let earlier)) in jobs
    where earlier.phone == attempt.phone && earlier.isReply == attempt.isReply {
      transport.cancel(id)
      jobs[id] = nil
    }
  }

  // Events

  private mutating func handle(_ event: CurlEvent) {
    switch event {
    case .opened(let id, let head): opened(id, head)
    case .chunk(let id, let bytes): count(bytes.count, of: id)
    case .finished(let id, let response): finished(id, response)
    case .failed(let id, let error): failed(id, error)
    }
  }

  private mutating func opened(_ id: CurlRequestID, _ head: CurlResponseHead) {
    guard case .delivery(let attempt, let start)? = jobs[id] else { return }
    jobs[id] = .answered(bytes: 0)
    drain(id)
    record(attempt, .status(head.status, retryAfter: head.headers["retry-after"]), since: start)
  }

  /// Reads the answer's body to its end, so that the connection can be reused. Where many are read, the oldest is abandoned: hosts that
  /// never end their answers hold no more connections than that.
  private mutating func drain(_ id: CurlRequestID) {
    draining.append(id)
    if draining.count > Self.drainLimit { abandon(draining[0]) }
  }

  /// Abandons the body if it is long.
  private mutating func count(_ bytes: Int, of id: CurlRequestID) {
    guard case .answered(let before)? = jobs[id] else { return }
    jobs[id] = .answered(bytes: before + bytes)
    if before + bytes > Self.maximumBodyBytes { abandon(id) }
  }

  private mutating func abandon(_ id: CurlRequestID) {
    transport?.cancel(id)
    jobs[id] = nil
    draining.removeAll { $0 == id }
  }

  private mutating func finished(_ id: CurlRequestID, _ response: CurlResponse) {
    switch jobs.removeValue(forKey: id) {
    case .delivery(let attempt, let start)?:
      record(attempt, DeliveryAnswer(response, to: attempt.request), since: start)
    case .code(let attempt)?: record(attempt, DeliveryAnswer(response, to: attempt.request))
    case .answered?: draining.removeAll { $0 == id }
    case nil: break
    }
  }

  private mutating func failed(_ id: CurlRequestID, _ error: CurlError) {
    switch jobs.removeValue(forKey: id) {
    case .delivery(let attempt, let start)?: record(attempt, DeliveryAnswer(error), since: start)
    case .code(let attempt)?: record(attempt, DeliveryAnswer(error))
    case .answered?: draining.removeAll { $0 == id }
    case nil: break
    }
  }

  /// Returns running attempts to the queue, so that they do not wait for the end of their leases.
  private mutating func giveBack(_ reason: String) {
    let broken = jobs
    jobs = [:]
    for (id, job) in broken {
      transport?.cancel(id)
      switch job {
      case .delivery(let attempt, let start): record(attempt, .notSent(reason), since: start)
      case .code(let attempt): record(attempt, .notSent(reason))
      case .answered: break
      }
    }
    draining = []
  }

  /// Waits a moment for the answers to what is under way, so that it need not be sent twice, and ends the rest; the next start sends it.
  private mutating func stop() {
    inbox.takesAttempts = false
    let end = monotonicMilliseconds() + Self.lastAnswersMilliseconds
    // An answer has the next look be at once, and there is none any more.
    tidyAt = end
    while transport != nil, jobs.values.contains(where: \.isUnanswered), monotonicMilliseconds() < end {
      lookAt = end
      waitForEvents()
    }
    giveBack("the server was stopped")
    writeAnswers()
  }

  /// The writer has stopped: records the remaining answers directly.
  private mutating func writeAnswers() {
    do {
      while !answers.isEmpty {
        let batch = Array(answers.prefix(Self.batchLimit))
        let moment = context.moment()
        context.conclude(
          try context.store.write { try OutboundAnswer.record(batch, at: moment, context.core, in: $0) })
        noteWritten(count: batch.count)
      }
    } catch {
      // The leases expire by themselves.
      context.log("deliveries stay as they are: \(Self.describe(error))", .error)
    }
  }

  private static func describe(_ error: any Error) -> String {
    (error as? StorageError)?.advisedMessage ?? "unknown error"
  }
}
