import CurlTransport
import DeviceCore
import LocalStore
import Model
import Wire

/// `alert watch`: shows each change of the active alert until it ends, or until Ctrl-C.
///
/// It sends and fetches like a worker, and stands by where another process does that. It waits for changes of the store, so it shows
/// what that process fetched just as soon.
struct FollowCommand {
  private let store: LocalStore
  private let context: Context
  private let stop: StopRequest
  private let watcher: StoreWatcher?
  private let end = WorkerEnd()

  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    let status = try context.attempt { () throws(LocalStoreError) in try store.status() }
    let report = try AlertCommands.report(status, store, context)
    context.console.json { json in
      json.member("event", "status")
      json.member("at", DeviceClock.now().wall.description)
      report.writeMembers(to: &json)
    }
    guard status.alert?.isActive == true else {
      context.console.say(DeliveryTexts.noneToWatch)
      return .stopped
    }
    for line in report.lines { context.console.say(line) }
    // Before any other thread.
    guard let stop = StopRequest() else { throw Failure(SyncWorkerError(.system, AccountTexts.noSignals)) }
    context.console.say(DeliveryTexts.watching)
    let command = Self(store: store, context: context, stop: stop, watcher: StoreWatcher(store.home))
    return command.run(from: status)
  }

  /// How often it looks where the system has no watch left to tell it.
  private static let unwatchedMilliseconds = 500

  private func run(from status: AlertStatus) -> ExitStatus {
    let isSending = !context.invocation.has("no-sync") && canSend
    let continuation = isSending ? Continuation(store.home, context) : nil
    let worker = isSending ? startWorker() : nil
    stop.whenMade { [watcher] in watcher?.interrupt() }
    let hasEnded = follow(from: status)
    worker?.stop()
    if worker != nil { _ = end.wait(milliseconds: 2000) }
    guard !hasEnded else {
      context.console.say(DeliveryTexts.watchOver)
      return .done
    }
    context.console.say(DeliveryTexts.watchLeft(isCarriedOn: isCarriedOn(continuation)))
    return .stopped
  }

  private var canSend: Bool {
    if case .possible = SendingOutlook.of(store) { true } else { false }
  }

  private func isCarriedOn(_ continuation: Continuation?) -> Bool {
    continuation?.isReady == true || (try? SenderHealth.examine(store.home)) == .moving
  }

  /// Sends and fetches on a thread of its own, while no other process does. Nil if that cannot be started, which is then said.
  private func startWorker() -> SyncWorker? {
    var options = SyncWorkerOptions.live
    options.notice = { [end, watcher] notice in
      end.note(notice)
      watcher?.interrupt()
    }
    let worker = SyncWorker(store: store, options: options)
    do throws(SyncWorkerError) {
      try worker.start { [end, watcher] result in
        end.set(result)
        watcher?.interrupt()
      }
      return worker
    } catch {
      context.console.note(DeliveryTexts.cannotSend(Sentences.closed(error.message)))
      return nil
    }
  }

  /// True when no alert is active any more; false if the person left before that.
  private func follow(from first: AlertStatus) -> Bool {
    var progress = FollowProgress(first)
    var hasToldOfWorker = false
    while !stop.isMade {
      // A store that cannot be read now is read at its next change.
      if let status = try? store.status() {
        context.tellReport(of: store)
        for event in progress.take(status, now: DeviceClock.now().wall) { tell(event) }
        if status.alert?.isActive != true { return true }
      }
      tellNotices(&hasToldOfWorker)
      wait(progress.millisecondsToSilence(now: DeviceClock.now().wall))
    }
    return false
  }

  private func wait(_ milliseconds: Int64?) {
    if let watcher {
      _ = watcher.wait(milliseconds: milliseconds)
    } else {
      stop.wait(milliseconds: Self.unwatchedMilliseconds)
    }
  }

  /// Says that another process holds the lease and stands still, and that this one cannot send.
  private func tellNotices(_ hasTold: inout Bool) {
    for notice in end.takeNotices() where notice == .waitingForLease {
      guard let standstill = (try? SenderHealth.examine(store.home))?.standstill else { continue }
      context.console.note(DeliveryTexts.sendingWithout(Sentences.capitalized(standstill)))
      context.console.note(DeliveryTexts.nothingComesIn)
    }
    guard !hasTold, case .failure(let error)? = end.outcome else { return }
    hasTold = true
    context.console.note(DeliveryTexts.cannotSend(Sentences.closed(error.message)))
  }

  private func tell(_ event: WatchEvent) {
    let now = DeviceClock.now().wall
    let time = LocalTime(now: now)
    context.console.json { event.writeMembers(now: now, to: &$0) }
    let bell = event.isAnswer && context.console.isOutputTerminal ? "\u{7}" : ""
    context.console.say("\(time.text(now))  \(event.text(time, context.console))\(bell)")
  }
}

/// What has been said of an alert that is followed.
struct FollowProgress {
  /// With an active alert, a device is in touch with its server at least every 30 s. A longer silence is said.
  static let silenceMilliseconds: Int64 = 90_000

  private var last: AlertStatus
  private var isSilent = false
  private let start: Timestamp?

  init(_ status: AlertStatus, now: Timestamp = DeviceClock.now().wall) {
    last = status
    start = now
  }

  /// The events since the status before. An answer of a responder is one event, however many channels it is about. An error is one event,
  /// however often it is retried.
  mutating func take(_ status: AlertStatus, now: Timestamp) -> [WatchEvent] {
    let before = last
    last = status
    var events: [WatchEvent] = []
    for event in WatchEvent.between(before, status) where !isRepeated(event, before) && !isTold(event, events) {
      events.append(event)
    }
    let isSilentNow = millisecondsToSilence(now: now) == nil && status.alert?.isActive == true
    if isSilentNow != isSilent {
      isSilent = isSilentNow
      events.append(isSilentNow ? .silent(since: status.sync.lastSuccessAt) : .heardAgain)
    }
    return events
  }

  /// When a silence is to be said; nil if it was, or if the clock says so now.
  func millisecondsToSilence(now: Timestamp) -> Int64? {
    guard let heard = [last.sync.lastSuccessAt, start].compactMap(\.self).max() else { return nil }
    let left = Self.silenceMilliseconds - now.milliseconds(since: heard)
    return left > 0 ? left : nil
  }

  private func isRepeated(_ event: WatchEvent, _ before: AlertStatus) -> Bool {
    switch event {
    case .disconnected(let reason, _, _): before.sync.lastError == reason
    case .receipt(let receipt) where receipt.isAnswer:
      before.responders.contains { $0.isSameAnswer(as: receipt) }
    default: false
    }
  }

  private func isTold(_ event: WatchEvent, _ events: [WatchEvent]) -> Bool {
    guard case .receipt(let receipt) = event, receipt.isAnswer else { return false }
    return events.contains { if case .receipt(let told) = $0 { told.isSameAnswer(as: receipt) } else { false } }
  }
}

extension Receipt {
  /// Whether a person answered: that they come, or that they do not.
  var isAnswer: Bool {
    notice == .activated && (state == .acknowledged || state == .seen && reason != nil)
  }

  /// Whether it is the same answer, on another channel perhaps.
  fileprivate func isSameAnswer(as other: Receipt) -> Bool {
    contactID == other.contactID && notice == other.notice && state == other.state && reason == other.reason
  }
}
