import CurlTransport
import Dispatch
import Glibc
import LifeSignal
import LocalStore
import Model
import Synchronization

/// Sends what was just saved, for a bounded time, and tells how far it gets. Whatever happens here, the alert is saved,
/// so nothing that fails here is an error of the command.
struct DeliveryFollower {
  /// For the whole of it.
  static let limitMilliseconds: Int64 = 10_000
  /// From when the server has accepted it, for what becomes of the messages.
  static let respondersLimitMilliseconds: Int64 = 4000

  private let store: LocalStore
  private let watcher: StoreWatcher
  private let end = WorkerEnd()
  private let context: Context

  static func follow(_ store: LocalStore, alert: Alert, notice: Notice, _ context: Context) {
    // Where nobody is signed in it was said why nothing is sent, and what to do.
    guard let status = try? store.status(), status.sync.signedIn, let watcher = StoreWatcher(store.home) else { return }
    guard (try? Configuration.load(store.home).endpoint) != nil else {
      context.console.say(context.console.styled(.warning, "NOT SENT: no server is set.") + " " + Advice.endpoint)
      return
    }
    let hasResponders = (try? store.contacts().contains { $0.contact.details.isResponder }) ?? true
    var progress = DeliveryProgress(alertID: alert.id, notice: notice, hasResponders: hasResponders)
    Interruption.leaveQuietly()
    Self(store: store, watcher: watcher, context: context).run(&progress)
  }

  private init(store: LocalStore, watcher: StoreWatcher, context: Context) {
    self.store = store
    self.watcher = watcher
    self.context = context
  }

  private func run(_ progress: inout DeliveryProgress) {
    let worker = SyncWorker(store: store)
    do throws(SyncWorkerError) {
      try worker.start { [end, watcher] result in
        end.set(result)
        watcher.interrupt()
      }
    } catch {
      return conclude(progress, error)
    }
    wait(&progress)
    worker.stop()
    conclude(progress, end.wait(milliseconds: 2000))
  }

  private func wait(_ progress: inout DeliveryProgress) {
    var deadline = DeviceClock.monotonicMilliseconds() + Self.limitMilliseconds
    while !end.isSet {
      let wasAccepted = progress.isAccepted
      tell(&progress)
      let now = DeviceClock.monotonicMilliseconds()
      if progress.isAccepted, !wasAccepted { deadline = min(deadline, now + Self.respondersLimitMilliseconds) }
      if progress.isDone || now >= deadline { return }
      _ = watcher.wait(milliseconds: deadline - now)
    }
    tell(&progress)
  }

  private func tell(_ progress: inout DeliveryProgress) {
    // A store that cannot be read now is read at its next change.
    guard let status = try? store.status() else { return }
    for line in progress.take(status, LocalTime(now: DeviceClock.now().wall), context.console) {
      context.console.say(line)
    }
  }

  private func conclude(_ progress: DeliveryProgress, _ error: SyncWorkerError?) {
    guard !progress.isAccepted else {
      let time = LocalTime(now: DeviceClock.now().wall)
      for receipt in progress.waiting { context.console.say(DeliveryProgress.line(receipt, time, context.console)) }
      return
    }
    if let error { context.console.say("It cannot be sent from here now: \(error.message)") }
    context.console.say(
      context.console.styled(.warning, "NOT SENT YET.") + " It stays saved on this device.\n" + Advice.sync)
  }
}

/// How a worker's run ended, told from its thread.
private final class WorkerEnd: Sendable {
  private let result = Mutex<Result<SyncOutcome, SyncWorkerError>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  var isSet: Bool { result.withLock { $0 != nil } }

  func set(_ value: Result<SyncOutcome, SyncWorkerError>) {
    result.withLock { $0 = value }
    semaphore.signal()
  }

  /// The error of the run, once it has ended; nil also where it does not end in time: then the process ends it.
  func wait(milliseconds: Int) -> SyncWorkerError? {
    guard semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success,
      case .failure(let error) = result.withLock({ $0 })
    else { return nil }
    return error
  }
}
