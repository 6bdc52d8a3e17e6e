import CurlTransport
import DeviceCore
import LocalStore
import Model

/// Sends what was just saved, for a bounded time, and tells how far it gets. Whatever happens here, the alert is saved,
/// so nothing that fails here is an error of the command; but that it was not sent is always said.
struct DeliveryFollower {
  /// For the whole of it.
  static let limitMilliseconds: Int64 = 10_000
  /// From when the server has accepted it, for what becomes of the messages.
  static let respondersLimitMilliseconds: Int64 = 4000

  private let store: LocalStore
  private let alert: Alert
  private let press: AlertID?
  private let notice: Notice
  private let context: Context

  /// - Parameter press: the call for help that is followed; nil: the end of `alert`.
  static func follow(
    _ store: LocalStore, alert: Alert, press: AlertID? = nil, notice: Notice, _ context: Context
  ) {
    // Where nothing can be sent it was said why, and what to do.
    guard case .possible = SendingOutlook.of(store) else { return }
    let hasResponders = (try? store.contacts().contains { $0.contact.details.isResponder }) ?? true
    var progress = DeliveryProgress(alertID: alert.id, notice: notice, hasResponders: hasResponders)
    Interruption.leaveQuietly()
    Self(store: store, alert: alert, press: press, notice: notice, context: context).run(&progress)
  }

  private func run(_ progress: inout DeliveryProgress) {
    // Where the system has no watch or thread left it is sent all the same, and told at the end.
    guard let watcher = StoreWatcher(store.home) else { return conclude(progress, workOnce(&progress)) }
    var (result, storeError) = work(&progress, watcher)
    if !progress.isDone, result?.isSystemFailure == true { result = workOnce(&progress) }
    conclude(progress, result, storeError)
  }

  /// Works as the background worker does, on a thread of its own, until there is nothing more to wait for. The result is nil
  /// where the work does not end in time: then the process ends it. The error is the store's that kept it from going on.
  private func work(
    _ progress: inout DeliveryProgress, _ watcher: StoreWatcher
  ) -> (result: WorkerResult?, storeError: LocalStoreError?) {
    let end = WorkerEnd()
    var options = SyncWorkerOptions.live
    // On the thread that sends: what is to be said is said by the other one.
    options.notice = { notice in
      switch notice {
      case .waitingForLease, .sendingWithoutHolder, .storeFailed:
        end.note(notice)
        watcher.interrupt()
      default: break
      }
    }
    let worker = SyncWorker(store: store, options: options)
    do throws(SyncWorkerError) {
      try worker.start { result in
        end.set(result)
        watcher.interrupt()
      }
    } catch {
      return (.failure(error), nil)
    }
    let storeError = wait(&progress, watcher, end)
    worker.stop()
    return (end.wait(milliseconds: 2000), storeError)
  }

  /// Until there is nothing more to wait for. Gives the store's error where it cannot keep what the server answers.
  private func wait(
    _ progress: inout DeliveryProgress, _ watcher: StoreWatcher, _ end: WorkerEnd
  ) -> LocalStoreError? {
    var deadline = DeviceClock.monotonicMilliseconds() + Self.limitMilliseconds
    var hasToldOfHolder = false
    while !end.isSet {
      for notice in end.takeNotices() {
        if case .storeFailed(let error) = notice {
          tell(&progress)
          if !progress.isAccepted { return error }
        } else if !hasToldOfHolder {
          hasToldOfHolder = tellOfHolder(notice)
        }
      }
      let wasAccepted = progress.isAccepted
      tell(&progress)
      let now = DeviceClock.monotonicMilliseconds()
      if progress.isAccepted, !wasAccepted { deadline = min(deadline, now + Self.respondersLimitMilliseconds) }
      if progress.isDone || now >= deadline { return nil }
      if progress.isAccepted, hasToldOfHolder, tellThatNothingComesIn() { return nil }
      _ = watcher.wait(milliseconds: deadline - now)
    }
    tell(&progress)
    return nil
  }

  /// Tells of another process that has the lease where that does not send; true where something was said. One that moves answers
  /// at once, and nothing is to be said of it yet.
  private func tellOfHolder(_ notice: SyncWorkerNotice) -> Bool {
    if notice == .sendingWithoutHolder {
      context.console.say("The background worker has not sent it yet. Sending it from here as well.")
      return true
    }
    // A lease that cannot be looked at is told of when the worker sends without it.
    guard let standstill = (try? SenderHealth.examine(store.home))?.standstill else { return false }
    context.console.say("\(SyncText.capitalized(standstill)). Sending without it.")
    return true
  }

  /// False where the lease's holder moves after all, and brings in what the server says.
  private func tellThatNothingComesIn() -> Bool {
    guard (try? SenderHealth.examine(store.home))?.standstill != nil else { return false }
    context.console.say("What your responders do is not shown here while the sync process stands still.")
    return true
  }

  private func workOnce(_ progress: inout DeliveryProgress) -> WorkerResult {
    let result: WorkerResult
    do throws(SyncWorkerError) {
      result = .success(try SyncWorker.runOnce(store: store, deadlineMilliseconds: Self.limitMilliseconds))
    } catch {
      result = .failure(error)
    }
    tell(&progress)
    return result
  }

  private func tell(_ progress: inout DeliveryProgress) {
    // A store that cannot be read now is read at its next change.
    guard let view = try? DeliveryView.read(store, alert.id, press: press) else { return }
    for line in progress.take(view, LocalTime(now: DeviceClock.now().wall), context.console) {
      context.console.say(line)
    }
  }

  private func conclude(_ progress: DeliveryProgress, _ result: WorkerResult?, _ storeError: LocalStoreError? = nil) {
    guard !progress.isRefused else { return }
    guard progress.isAccepted else {
      let isReceived = UnrecordedAnswer.tell(store, progress.alertID, notice, storeError: storeError, context)
      return isReceived ? () : tellNotSent(result)
    }
    let time = LocalTime(now: DeviceClock.now().wall)
    for receipt in progress.waiting { context.console.say(DeliveryProgress.line(receipt, time, context.console)) }
    for receipt in progress.earlier {
      context.console.say(
        DeliveryProgress.line(receipt, time, context.console)
          + ". That was before this call. See: lifesignal alert status")
    }
    if notice == .deactivated { tellOfOthers() }
    guard progress.isSessionExpired else { return }
    context.console.say("The session has expired: what your responders do is not shown here. " + Advice.signInAgain)
  }

  /// An alert of another device of which this one had not heard when it ended all that it knew.
  private func tellOfOthers() {
    guard let other = try? store.activeAlerts().first else { return }
    let what = other.isDrill ? "ANOTHER DRILL" : "ANOTHER ALERT"
    let time = LocalTime(now: DeviceClock.now().wall)
    context.console.say(
      context.console.styled(.bad, "\(what) IS ACTIVE")
        + " since \(time.text(other.startedAt)), raised on another device. "
        + "See: lifesignal alert status")
  }

  /// Says so, and what happens next.
  private func tellNotSent(_ result: WorkerResult?) {
    if case .failure(let error) = result {
      context.console.say("It cannot be sent from here now: " + SyncText.sentence(error.message))
    }
    context.console.say(context.console.styled(.warning, "NOT SENT YET.") + " It stays saved on this device.")
    context.console.say(
      notice == .activated
        ? "Your responders do NOT know yet. If you can, call for help another way too."
        : "Your responders do NOT know yet that you are safe.")
    if let sync = try? store.status().sync, !sync.signedIn, !sync.isSessionExpired {
      return context.console.say("The server does not take this device's alerts any more. " + Advice.signInAgain)
    }
    guard case .success(.handedOver) = result else { return context.console.say(Advice.sync) }
    // A lease that cannot be looked at is nobody's word that it is sent.
    switch try? SenderHealth.examine(store.home) {
    case .moving: context.console.say("The background worker keeps trying. See: lifesignal alert status")
    case let health:
      if let standstill = health?.standstill { context.console.say("\(SyncText.capitalized(standstill)).") }
      context.console.say("Nothing sends it now. " + Advice.sync)
    }
  }
}

extension Result where Success == SyncOutcome, Failure == SyncWorkerError {
  /// The system refused something that a single run does without.
  fileprivate var isSystemFailure: Bool {
    if case .failure(let error) = self { error.code == .system } else { false }
  }
}
