import Model
import ServerCore
import SystemKit

/// Work that writes to the store, in a transaction that it may share with other jobs.
protocol WriteJob: Sendable {
  var key: TurnKey { get }
  var isUrgent: Bool { get }
  /// A job that is not small begins a transaction of its own, so that no small one waits for it.
  var isSmall: Bool { get }
  /// After its commit, messages to responders may be due.
  var mayHaveDeliveries: Bool { get }
  /// Does a part of the work; false if more is left, for the same transaction or a later one. If it throws, the writes of this part
  /// are undone.
  mutating func run(in transaction: any ServerTransaction) throws -> Bool
  /// Called after `run` or the commit threw.
  mutating func fail(_ error: any Error)
  /// Called once, after the commit or the failure.
  func conclude()
}

/// The one thread that writes to the store. It serves the accounts in turn and commits several jobs at once, because each commit
/// costs a sync of the disk.
///
/// Messages that a job queues are leased and rendered in the same transaction, as far as there is room, and are sent right after
/// the commit: no second transaction delays the first messages of an alert.
final class StoreWriter: Sendable {
  private let context: ServerContext
  private let outbound: OutboundInbox
  private let queue = WorkQueue<TurnKey, any WriteJob>(limit: 1024, urgentLimit: 1536)
  private let thread = Lock<SystemThread?>(nil)

  /// The time limit after which a transaction takes no further job, part or message, because others wait for its commit.
  private static let batchMilliseconds: Int64 = 5
  private static let batchLimit = 64
  /// The number of messages that are leased between two looks at the clock.
  private static let claimLength = 32

  /// Throws if the system has no thread left.
  init(_ context: ServerContext, outbound: OutboundInbox) throws(ServerError) {
    self.context = context
    self.outbound = outbound
    let started = try SystemThread.forServer { [self] in run() }
    thread.withLock { $0 = started }
  }

  /// Records the answers and reports to the outbound loop; false if the writer was stopped.
  func write(_ answers: [OutboundAnswer]) -> Bool { pushOwn(CompletionJob(answers, context, outbound)) }

  /// Removes some of what has expired, and reports to the outbound loop; false if the writer was stopped.
  /// - Parameter unfinished: what is left of a round; another one begins where nothing is.
  func keepHouse(_ unfinished: [HousekeepingPart]) -> Bool {
    let parts = unfinished.isEmpty ? context.core.housekeeping(at: context.moment()) : unfinished
    return pushOwn(HousekeepingJob(parts, outbound))
  }

  /// The jobs that wait.
  var waiting: Int { queue.count }

  var progress: WorkProgress { queue.progress }

  /// False if the queue is full or closed.
  func push(_ job: any WriteJob) -> Bool { queue.push(job, key: job.key, isUrgent: job.isUrgent) }

  /// Like `push`, for the server's own jobs, which are few: only a closed queue refuses them.
  func pushOwn(_ job: any WriteJob) -> Bool {
    queue.push(job, key: job.key, isUrgent: job.isUrgent, isLimited: false)
  }

  /// Finishes all waiting jobs. Returns when the thread has ended.
  func stop() {
    queue.close()
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }

  private func run() {
    var past = Past(at: context.readClocks())
    while let job = queue.waitForNext() { commit(from: job, &past) }
  }

  /// Runs `first`, and waiting jobs after it, in one transaction.
  private func commit(from first: any WriteJob, _ past: inout Past) {
    var batch = [first]
    var areDone: [Bool] = []
    var claim: Claim?
    var isHeldUp = false
    var returned = RecordedAnswers()
    do {
      try context.store.write { transaction in
        let end = monotonicMilliseconds() + Self.batchMilliseconds
        returned = try giveBack(past.unclear, in: transaction)
        while areDone.count < batch.count {
          let place = areDone.count
          var isDone = try run(&batch[place], in: transaction)
          while !isDone, monotonicMilliseconds() < end { isDone = try run(&batch[place], in: transaction) }
          areDone.append(isDone)
          guard batch.count < Self.batchLimit, monotonicMilliseconds() < end,
            let next = queue.nextToShare(where: \.isSmall)
          else { break }
          batch.append(next)
        }
        guard batch.contains(where: \.mayHaveDeliveries) else { return }
        if past.isStandstillNew(at: context.readClocks()) { outbound.noteStandstill() }
        isHeldUp = !outbound.takesAttempts
        if !isHeldUp { claim = try self.claim(in: transaction) }
      }
    } catch {
      past.unclear += claim?.deliveries.notMade ?? []
      for place in batch.indices {
        batch[place].fail(error)
        batch[place].conclude()
      }
      return
    }
    past.commit(hasClaimed: claim != nil, at: context.readClocks())
    context.conclude(returned)
    handOver(claim)
    // The loop may have waited for a store that works.
    if isHeldUp { outbound.post { $0.look = OutboundInbox.Look(hasAttempts: false, nextDueMilliseconds: 0) } }
    for (job, isDone) in zip(batch, areDone) {
      if isDone { job.conclude() } else { queue.pushBack(job, key: job.key, isUrgent: job.isUrgent) }
    }
  }

  /// Throws if the transaction is lost; after another failure the leases end by themselves.
  private func giveBack(
    _ attempts: [OutboundAnswer], in transaction: any ServerTransaction
  ) throws -> RecordedAnswers {
    var recorded = RecordedAnswers()
    guard !attempts.isEmpty else { return recorded }
    do {
      try transaction.alone {
        recorded = try OutboundAnswer.record(attempts, at: context.moment(), context.core, in: transaction)
      }
    } catch {
      if transaction.isLost(by: error) { throw error }
      context.log("messages wait for the end of their leases: \(StorageError(wrapping: error).message)", .error)
    }
    return recorded
  }

  /// False if more of the job is left. Throws if the transaction is lost for all jobs.
  private func run(_ job: inout any WriteJob, in transaction: any ServerTransaction) throws -> Bool {
    var isDone = true
    do {
      try transaction.alone { isDone = try job.run(in: transaction) }
    } catch {
      if transaction.isLost(by: error) { throw error }
      job.fail(error)
    }
    return isDone
  }

  private struct Claim {
    var deliveries: ClaimedDeliveries
    /// When the last messages were leased.
    var time: Timestamp
    /// From when the first of them were.
    let lease: DeliveryLease
  }

  /// What a transaction has to know of those before it.
  private struct Past {
    private enum Standstill {
      case none, new
      /// The loop knows of it, and nothing was claimed since: if the store is always slow, claims are made all the same, with the next
      /// transaction but one.
      case told
    }

    /// Attempts whose commit was reported as failed and may have happened. They are not made. Where they are leased, the next transaction
    /// gives them back, before it claims others: their numbers would be the same.
    var unclear: [OutboundAnswer] = []
    private var committedAt: ClockReading
    private var standstill = Standstill.none

    /// Well under a lease, and longer than one transaction follows another while the store and this process work.
    private static let standstillMilliseconds = 3 * OutboundWorker.idleMilliseconds

    init(at now: ClockReading) { committedAt = now }

    /// Whether leases may have ended of messages that were sent, and the loop has to be told.
    mutating func isStandstillNew(at now: ClockReading) -> Bool {
      look(at: now)
      guard standstill == .new else { return false }
      standstill = .told
      return true
    }

    /// A transaction was committed.
    mutating func commit(hasClaimed: Bool, at now: ClockReading) {
      if hasClaimed { standstill = .none }
      look(at: now)
      unclear = []
      committedAt = now
    }

    private mutating func look(at now: ClockReading) {
      guard standstill == .none, now.milliseconds(since: committedAt) >= Self.standstillMilliseconds else { return }
      standstill = .new
    }
  }

  /// Leases messages that are due; nil if this failed.
  private func claim(in transaction: any ServerTransaction) throws -> Claim? {
    let start = context.readClocks()
    let end = start.monotonic + Self.batchMilliseconds
    var claim: Claim?
    do {
      try transaction.alone {
        repeat {
          // Read now, so that messages just queued are due.
          let (moment, core) = (context.moment(), context.core)
          let claimed = try core.claimDeliveries(limit: Self.claimLength, at: moment, in: transaction)
          claim = Claim(
            deliveries: claimed.adding(to: claim?.deliveries), time: moment.now,
            lease: DeliveryLease(
              claimedAt: start, milliseconds: core.configuration.deliveries.leaseMilliseconds))
          guard claimed.attempts.count == Self.claimLength else { break }
        } while monotonicMilliseconds() < end
      }
    } catch {
      if transaction.isLost(by: error) { throw error }
      context.log("messages wait: \((error as? StorageError)?.message ?? "the queue cannot be read")", .error)
      outbound.post { $0.look = OutboundInbox.Look(hasAttempts: false, nextDueMilliseconds: 1000) }
      return nil
    }
    return claim
  }

  private func handOver(_ claim: Claim?) {
    guard let claim else { return }
    let (claimed, time) = (claim.deliveries, claim.time)
    for id in claimed.unreadable { context.log("delivery \(id): \(ServerCore.unreadableReason)", .error) }
    for id in claimed.unreadableAlerts {
      context.log(
        "nobody can be asked again about alert \(id), or told that its device is silent: a record cannot be read",
        .error)
    }
    for id in claimed.unpostedAlerts {
      context.log("alert \(id) is not in the inbox of each responder: a record cannot be read or written", .error)
    }
    context.note(claimed.codeNotes)
    let wait = claimed.nextDue.map { $0.milliseconds(since: time) }
    outbound.post { content in
      content.attempts += claimed.attempts.map { LeasedAttempt(attempt: $0, lease: claim.lease) }
      content.codes += claimed.codes
      let hasAttempts = !claimed.attempts.isEmpty || !claimed.codes.isEmpty
      content.look = OutboundInbox.Look(hasAttempts: hasAttempts, nextDueMilliseconds: wait)
    }
    context.hub.wake(claimed.changedAccounts)
  }
}
