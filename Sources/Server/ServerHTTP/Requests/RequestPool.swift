import Model
import ServerCore
import SystemKit
import Wire

/// The threads that answer requests, separate from those that receive them: a slow disk stalls only requests that need it.
///
/// `StoreWriter` writes. Several threads read; one answers operators, whose queries may be slow; one answers `/ready`, which must
/// not wait for those.
final class RequestPool: Sendable {
  private typealias Queue = WorkQueue<TurnKey, RequestJob>

  private let handler: RequestHandler
  private let writer: StoreWriter
  private let reads = Queue(limit: 512, urgentLimit: 512)
  private let operations = Queue(limit: 64, urgentLimit: 64)
  private let readiness = Queue(limit: 64, urgentLimit: 64)
  private let keys = TurnKeys()
  private let threads = Lock<[SystemThread]>([])

  private static let readerCount = 3

  /// Throws if the system has no thread left.
  init(_ handler: RequestHandler, writer: StoreWriter) throws(ServerError) {
    self.handler = handler
    self.writer = writer
    // When processors are scarce, readers yield to the writer, and operators' queries to readers.
    try start(operations, priorityLoweredBy: 10)
    try start(readiness, priorityLoweredBy: 5)
    for _ in 0..<Self.readerCount { try start(reads, priorityLoweredBy: 5) }
  }

  private func start(_ queue: Queue, priorityLoweredBy steps: Int32) throws(ServerError) {
    do throws(ServerError) {
      let thread = try SystemThread.forServer { [self] in
        SystemThread.lowerPriority(by: steps)
        read(queue)
      }
      threads.withLock { $0.append(thread) }
    } catch {
      stop()
      throw error
    }
  }

  /// Answers all waiting requests. Returns when the threads of the pool have ended. Stop the writer after it.
  func stop() {
    for queue in [reads, operations, readiness] { queue.close() }
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    for thread in running { thread.join() }
  }

  /// The requests that wait.
  var waiting: (reads: Int, operations: Int) { (reads.count, operations.count) }

  /// Of what people wait for: an operator's query may take long.
  var progress: [WorkProgress] { [reads.progress, readiness.progress, writer.progress] }

  /// Answers at once if no store is needed, otherwise when the work is done.
  func reply(
    to request: ServerRequest, in table: RouteTable, isMeasured: Bool = true
  ) -> HTTPShell.Reply<ServerResponse> {
    switch handler.begin(request, in: table) {
    case .answer(let outcome):
      if isMeasured { handler.context.measurements.note(outcome.response) }
      return .now(handler.conclude(outcome, of: request))
    case .task(let task): return .later { self.submit(task, isMeasured: isMeasured, complete: $0) }
    }
  }

  /// A large body is read only from somebody who may send it.
  func admit(_ head: ServerRequest, bodyBytes: Int?, in table: RouteTable) -> HTTPShell.Reply<HTTPShell.Admission> {
    switch handler.admit(head, bodyBytes: bodyBytes, in: table) {
    case .upTo(let maximum): return .now(.upTo(maximum))
    case .refused(let outcome): return .now(.refused(handler.conclude(outcome, of: head)))
    case .ifAllowed(let task, let maximum):
      return .later { complete in
        self.submit(task, isMeasured: false) { complete($0.isSuccess ? .upTo(maximum) : .refused($0)) }
      }
    }
  }

  /// - Parameter isMeasured: false of an operator's request, and of the question whether the body of one is read.
  private func submit(_ task: ServerTask, isMeasured: Bool, complete: @escaping RequestJob.Completion) {
    let job = RequestJob(
      task: task, key: keys.key(of: task.request), isMeasured: isMeasured, handler: handler, keys: keys,
      complete: complete)
    let isTaken =
      switch task.pool {
      case .write: writer.push(job)
      case .read, .immediate: push(job, to: reads)
      case .operation: push(job, to: operations)
      case .readiness: push(job, to: readiness)
      }
    if !isTaken { job.refuse() }
  }

  static let busy = ServerResponse.problem(Refusals.busy, retryAfterSeconds: 1)

  private func push(_ job: RequestJob, to queue: Queue) -> Bool {
    queue.push(job, key: job.key, isUrgent: job.isUrgent)
  }

  private func read(_ queue: Queue) {
    while var job = queue.waitForNext() {
      if job.task.pool == .readiness, let response = handler.notReady() {
        job.complete(response)
        continue
      }
      do {
        // A request that turns out to write continues with the writer, in its turn.
        let isDone = try handler.context.store.read { try job.run(in: $0) }
        if !isDone {
          if !writer.push(job) { job.refuse() }
          continue
        }
      } catch {
        job.fail(error)
      }
      job.conclude()
    }
  }
}

/// A request on its way through the pool.
struct RequestJob: WriteJob {
  /// Receives the answer, once, from any thread.
  typealias Completion = @Sendable (ServerResponse) -> Void

  private(set) var task: ServerTask
  let key: TurnKey
  private let isMeasured: Bool
  private let handler: RequestHandler
  private let keys: TurnKeys
  let complete: Completion
  private var outcome: ServerOutcome?
  private let startedAt = KernelClock.monotonic.seconds()

  /// The size limit of a request that shares a commit with others.
  private static let smallBodyBytes = 16 << 10

  init(
    task: ServerTask, key: TurnKey, isMeasured: Bool, handler: RequestHandler, keys: TurnKeys,
    complete: @escaping Completion
  ) {
    self.task = task
    self.key = key
    self.isMeasured = isMeasured
    self.handler = handler
    self.keys = keys
    self.complete = complete
  }

  var isUrgent: Bool { task.isUrgent }
  var isSmall: Bool { task.request.body.count <= Self.smallBodyBytes }
  var mayHaveDeliveries: Bool { outcome?.hasNewDeliveries == true || task.progressOutcome.hasNewDeliveries }

  mutating func run(in transaction: any ServerTransaction) throws -> Bool {
    outcome = try task.run(in: transaction)
    return outcome != nil
  }

  mutating func fail(_ error: any Error) { outcome = task.failed(error) }

  /// The queue is full, or the server stops.
  func refuse() {
    let response = task.refusal().response
    if isMeasured { handler.context.measurements.note(response) }
    complete(response)
  }

  func conclude() {
    guard var outcome else { return refuse() }
    outcome.add(task.progressOutcome)
    keys.note(task)
    if isMeasured {
      let seconds = KernelClock.monotonic.seconds() - startedAt
      handler.context.measurements.noteRequest(outcome, seconds: seconds)
    }
    complete(handler.conclude(outcome, of: task.request))
  }
}
