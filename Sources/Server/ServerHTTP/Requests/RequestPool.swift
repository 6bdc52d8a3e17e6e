import Glibc
import Model
import ServerCore
import SystemKit
import Wire

/// The threads that answer requests, apart from those that read them: a slow disk stalls what needs it and nothing else.
///
/// One thread writes: it takes what waits in turn by account and commits several requests at once, since a commit costs a
/// sync of the disk, however much is in it. Some threads read, and one answers operators, whose questions may be slow.
final class RequestPool: Sendable {
  private struct Job: Sendable {
    var task: ServerTask
    var key: TurnKey
    var complete: HTTPShell.Completion
  }

  private typealias Queue = WorkQueue<TurnKey, Job>

  private let handler: RequestHandler
  private let writes = Queue(limit: 1024, urgentLimit: 1536)
  private let reads = Queue(limit: 512, urgentLimit: 512)
  private let operations = Queue(limit: 64, urgentLimit: 64)
  private let keys = TurnKeys()
  private let threads = Lock<[SystemThread]>([])

  private static let readerCount = 3
  /// A commit waits no longer than this for further requests that are there.
  private static let batchMilliseconds: Int64 = 5
  private static let batchLimit = 64
  /// A larger request is committed alone, so that nobody's small one waits for it with its answer.
  private static let smallBodyBytes = 16 << 10

  /// Throws where the system has no thread left.
  init(_ handler: RequestHandler) throws(ServerError) {
    self.handler = handler
    let (writes, reads, operations) = (writes, reads, operations)
    // Readers give way to the writer where the processors do not suffice, and operators' questions to readers.
    var bodies: [@Sendable (RequestPool) -> Void] = [
      { $0.write(writes) },
      {
        SystemThread.lowerPriority(by: 10); $0.read(operations)
      },
    ]
    for _ in 0..<Self.readerCount {
      bodies.append {
        SystemThread.lowerPriority(by: 5); $0.read(reads)
      }
    }
    for body in bodies {
      let thread: SystemThread
      do throws(ServerError) {
        thread = try SystemThread.forServer { [self] in body(self) }
      } catch {
        stop()
        throw error
      }
      threads.withLock { $0.append(thread) }
    }
  }

  /// Answers all that waits, and returns when no thread of the pool runs any more.
  func stop() {
    for queue in [writes, reads, operations] { queue.close() }
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    for thread in running { thread.join() }
  }

  /// Answers at once where no store is needed, otherwise when the work is done.
  @Sendable func reply(to request: ServerRequest) -> HTTPShell.Reply {
    switch handler.begin(request) {
    case .answer(let outcome): .now(handler.conclude(outcome, of: request))
    case .task(let task): .later { self.submit(task, complete: $0) }
    }
  }

  private func submit(_ task: ServerTask, complete: @escaping HTTPShell.Completion) {
    let job = Job(task: task, key: keys.key(of: task.request), complete: complete)
    if !queue(for: job).push(job, key: job.key, isUrgent: task.isUrgent) { complete(Self.busy) }
  }

  static let busy = ServerResponse.problem(
    Problem(.unavailable, "the server has too much to do now"), retryAfterSeconds: 1)

  private func queue(for job: Job) -> Queue {
    switch job.task.pool {
    case .write: writes
    case .operation: operations
    case .read, .immediate: reads
    }
  }

  // Reading

  private func read(_ queue: Queue) {
    while var job = queue.waitForNext() {
      do {
        if let response = handler.responseWithoutStore(to: job.task.request) {
          job.complete(response)
        } else if let outcome = try handler.store.read({ try job.task.run(in: $0) }) {
          finish(job, outcome)
        } else {
          writes.pushBack(job, key: job.key, isUrgent: job.task.isUrgent)
        }
      } catch {
        finish(job, job.task.failed(error))
      }
    }
  }

  // Writing

  private func write(_ queue: Queue) {
    while let job = queue.waitForNext() { commit(from: job) }
  }

  /// Runs what waits in one transaction, beginning with `first`, and answers when it is durable.
  private func commit(from first: Job) {
    var batch = [first]
    var outcomes: [ServerOutcome?] = []
    let end = monotonicMilliseconds() + Self.batchMilliseconds
    do {
      try handler.store.write { transaction in
        while outcomes.count < batch.count {
          let place = outcomes.count
          outcomes.append(try run(&batch[place], in: transaction))
          guard batch.count < Self.batchLimit, monotonicMilliseconds() < end,
            let next = writes.next(where: Self.isSmall)
          else { return }
          batch.append(next)
        }
      }
    } catch {
      for job in batch { finish(job, job.task.failed(error)) }
      return
    }
    for (job, outcome) in zip(batch, outcomes) {
      if let outcome {
        finish(job, outcome)
      } else {
        writes.pushBack(job, key: job.key, isUrgent: job.task.isUrgent)
      }
    }
  }

  private static func isSmall(_ job: Job) -> Bool { job.task.request.body.count <= smallBodyBytes }

  /// Nil where the request goes on in a later transaction. Throws where the transaction is lost for all.
  private func run(_ job: inout Job, in transaction: any ServerTransaction) throws -> ServerOutcome? {
    var outcome: ServerOutcome?
    do {
      try transaction.alone { outcome = try job.task.run(in: transaction) }
    } catch {
      if transaction.isLost(by: error) { throw error }
      outcome = job.task.failed(error)
    }
    return outcome
  }

  private func finish(_ job: Job, _ outcome: ServerOutcome) {
    var outcome = outcome
    outcome.add(job.task.progressOutcome)
    keys.note(job.task)
    job.complete(handler.conclude(outcome, of: job.task.request))
  }
}
