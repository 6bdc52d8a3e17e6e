import CurlTransport
import DeviceCore
import LocalStore
import Model

/// Sends what was just saved, for a limited time, and says how far it gets. The alert is saved whatever happens here, so a failure
/// here is not an error of the command; but it always says if the alert was not sent.
struct DeliveryFollower {
  /// The limit for everything.
  static let limitMilliseconds: Int64 = 10_000
  /// The limit for the messages to responders, from when the server has accepted the alert.
  static let respondersLimitMilliseconds: Int64 = 4000

  private let store: LocalStore
  private let alert: Alert
  private let press: AlertID?
  private let carrier: AlertID?
  private let notice: Notice
  private let continuation: Continuation
  private let search: PlaceSearch?
  /// As far as this device knows.
  private let hasResponders: Bool
  private let alsoActive: [AlertID]
  private let context: Context

  /// Before it begins, it makes sure that a process in the background goes on when this one has ended, in whatever way.
  ///
  /// - Parameters:
  ///   - alsoEnded: the alerts that ended together with `alert`: their ends are followed too.
  ///   - press: the call for help to follow; nil follows the end of `alert`, or `place`.
  ///   - place: news of the alert that are no call for help, to follow instead.
  ///   - carrier: the call that waits before `place`.
  ///   - search: waited for too, and until what it finds is sent.
  ///   - continuation: that process, if it was started already.
  ///   - isTriedBefore: whether what is followed was tried before, under other conditions.
  ///   - alsoActive: alerts of which it was said that they are active.
  ///   - nobodySaid: why nobody is told of the call, as it was said before.
  /// - Returns: the alerts whose end the server did not take, which is said.
  @discardableResult
  static func follow(
    _ store: LocalStore, alert: Alert, alsoEnded: [Alert] = [], press: AlertID? = nil, place: MutationID? = nil,
    carrier: AlertID? = nil, notice: Notice, search: PlaceSearch? = nil, continuation: Continuation? = nil,
    isTriedBefore: Bool = false, alsoActive: [AlertID] = [], nobodySaid: NobodyIsTold? = nil, _ context: Context
  ) -> [AlertID] {
    // If nothing can be sent, the caller has said why and what to do.
    guard case .possible = SendingOutlook.of(store) else { return [] }
    let continuation = continuation ?? Continuation(store.home, context)
    let hasResponders = (try? store.contacts().contains { $0.contact.details.isResponder }) ?? true
    let queue = isTriedBefore ? (try? store.queue()) ?? [] : []
    var progress = DeliveryProgress(
      alertID: alert.id, notice: notice, alsoEnded: alsoEnded.map(\.id), hasResponders: hasResponders, place: place,
      attemptsBefore: Dictionary(queue.map { ($0.id, $0.attempts) }) { $1 }, nobodySaid: nobodySaid)
    Interruption.leaveQuietly(isCarriedOn: continuation.isStarted)
    Self(
      store: store, alert: alert, press: press, carrier: carrier, notice: notice, continuation: continuation,
      search: search, hasResponders: hasResponders, alsoActive: alsoActive, context: context
    ).run(&progress)
    return progress.refusedEnds
  }

  private func run(_ progress: inout DeliveryProgress) {
    // Without a watch or a thread it is sent all the same, and reported at the end.
    guard let watcher = StoreWatcher(store.home) else {
      let result = workOnce(&progress)
      return conclude(progress, result)
    }
    var (result, storeError) = work(&progress, watcher)
    if !progress.isDone, result?.isSystemFailure == true { result = workOnce(&progress) }
    conclude(progress, result, storeError)
  }

  /// Works as the background worker does, on a thread of its own, until there is nothing more to wait for. The result is nil if the
  /// work does not end in time: the process then ends it. The error is the store's, if that stopped the work.
  private func work(
    _ progress: inout DeliveryProgress, _ watcher: StoreWatcher
  ) -> (result: WorkerResult?, storeError: LocalStoreError?) {
    let end = WorkerEnd()
    var options = SyncWorkerOptions.live
    // Called on the thread that sends; the other thread says it.
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

  /// Waits until there is nothing more to wait for. Returns the store's error if it cannot save the server's answers.
  private func wait(
    _ progress: inout DeliveryProgress, _ watcher: StoreWatcher, _ end: WorkerEnd
  ) -> LocalStoreError? {
    var deadline = DeviceClock.monotonicMilliseconds() + Self.limitMilliseconds
    var hasToldOfHolder = false
    search?.whenOver { watcher.interrupt() }
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
      if progress.isDone && search?.isSettled(store) ?? true || now >= deadline { return nil }
      if progress.isAccepted, hasToldOfHolder, tellThatNothingComesIn() { return nil }
      _ = watcher.wait(milliseconds: deadline - now)
    }
    tell(&progress)
    return nil
  }

  /// Reports another process that holds the lease and does not send; true if something was said. One that works answers at once,
  /// and nothing is said about it.
  private func tellOfHolder(_ notice: SyncWorkerNotice) -> Bool {
    if notice == .sendingWithoutHolder {
      context.console.say(DeliveryTexts.sendingBeside)
      return true
    }
    // If the lease cannot be examined, it is reported when the worker sends without it.
    guard let standstill = (try? SenderHealth.examine(store.home))?.standstill else { return false }
    context.console.say(DeliveryTexts.sendingWithout(Sentences.capitalized(standstill)))
    return true
  }

  /// Says that nothing is received. False if the lease holder works after all, and receives.
  private func tellThatNothingComesIn() -> Bool {
    guard (try? SenderHealth.examine(store.home))?.standstill != nil else { return false }
    context.console.say(DeliveryTexts.nothingComesIn)
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
    // Best effort: a store that cannot be read now is read at its next change.
    guard let view = try? view(progress) else { return }
    for line in progress.take(view, LocalTime(now: DeviceClock.now().wall), context.console) {
      context.console.say(line)
    }
    if let line = search?.takeLine(context.console) { context.console.say(line) }
  }

  private func view(_ progress: DeliveryProgress) throws(LocalStoreError) -> DeliveryView {
    notice == .activated
      ? try DeliveryView.read(store, alert.id, press: press ?? carrier)
      : try DeliveryView.read(store, ends: progress.ends)
  }

  private func conclude(_ progress: DeliveryProgress, _ result: WorkerResult?, _ storeError: LocalStoreError? = nil) {
    guard !progress.isRefused else { return }
    guard progress.isAccepted else {
      let isReceived = UnrecordedAnswer.tell(
        store, progress.alertID, notice, storeError: storeError, nobodySaid: progress.nobodyIsTold, context)
      return isReceived ? () : tellNotSent(result, isUnknown: progress.isOutcomeUnknown)
    }
    let time = LocalTime(now: DeviceClock.now().wall)
    for receipt in progress.waiting { context.console.say(DeliveryProgress.line(receipt, time, context.console)) }
    for receipt in progress.earlier {
      context.console.say(DeliveryProgress.line(receipt, time, context.console) + DeliveryTexts.earlierCall)
    }
    if notice == .deactivated { tellOfOthers(than: progress.refusedEnds + alsoActive) }
    if progress.isSessionExpired {
      context.console.say(DeliveryTexts.newsNeedsSignIn)
    } else if progress.isAwaitingAnswers {
      context.console.say(DeliveryTexts.toFollow)
    }
  }

  /// Reports an alert of another device that this device did not know when it ended all alerts.
  ///
  /// - Parameter known: those of which it was said that they are active.
  private func tellOfOthers(than known: [AlertID]) {
    let other: Alert?
    do throws(LocalStoreError) {
      other = try store.activeAlerts().first { !known.contains($0.id) }
    } catch {
      return context.console.say(AlertTexts.othersUnknown(Sentences.closed(error.message), context.console))
    }
    guard let other else { return }
    let started = LocalTime(now: DeviceClock.now().wall).text(other.startedAt)
    context.console.say(DeliveryTexts.anotherActive(isDrill: other.isDrill, since: started, context.console))
  }

  /// Says so, and what happens next.
  ///
  /// - Parameter isUnknown: an attempt went out, and its answer has not come.
  private func tellNotSent(_ result: WorkerResult?, isUnknown: Bool) {
    var isUnknown = isUnknown
    if case .failure(let error) = result {
      isUnknown = false
      context.console.say(DeliveryTexts.cannotSend(Sentences.closed(error.message)))
    }
    context.console.say(DeliveryTexts.notSent(isUnknown: isUnknown, context.console))
    let isDrill = alert.isDrill
    if hasResponders || !isDrill, press != nil || notice == .deactivated {
      context.console.say(
        notice == .activated
          ? DeliveryTexts.respondersUntold(isDrill: isDrill, isUnknown: isUnknown)
          : AlertTexts.safetyUnknown(isDrill: isDrill, isUnconfirmed: isUnknown))
    }
    if let sync = try? store.status().sync, sync.isDeviceRefused { context.console.say(DeliveryTexts.keyRefused) }
    // A lease that cannot be examined is no proof that anything is sent.
    let health = try? SenderHealth.examine(store.home)
    if let standstill = health?.standstill {
      context.console.say(Sentences.capitalized(standstill) + ".")
    } else if continuation.isReady {
      return context.console.say(DeliveryTexts.carriedOn)
    } else if case .success(.handedOver) = result, health == .moving {
      return context.console.say(DeliveryTexts.workerKeepsTrying)
    }
    context.console.say(continuation.failure.map(DeliveryTexts.notCarriedOn) ?? DeliveryTexts.nothingSendsIt)
  }
}

extension Result where Success == SyncOutcome, Failure == SyncWorkerError {
  /// Whether the system refused something that a single run does not need.
  fileprivate var isSystemFailure: Bool {
    if case .failure(let error) = self { error.code == .system } else { false }
  }
}
