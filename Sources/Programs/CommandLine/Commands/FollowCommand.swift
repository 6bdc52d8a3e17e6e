import CurlTransport
import DeviceCore
import LocalStore
import Model
import Wire

/// `alert watch`: shows each change of the active alert until it ends, or until Ctrl-C.
///
/// It sends and fetches like a worker, and shows what another process fetched just as soon.
struct FollowCommand {
  private let store: LocalStore
  private let context: Context
  private let stop: StopRequest
  private let follower: StoreFollower

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
      if let unknown = report.unknown {
        throw Failure(.notSaved, "unknown", DeliveryTexts.unknownStatus(Sentences.closed(unknown)))
      }
      context.console.say(DeliveryTexts.noneToWatch)
      return .stopped
    }
    for line in report.lines { context.console.say(line) }
    // Before any other thread.
    guard let stop = StopRequest() else { throw Failure(SyncWorkerError(.system, AccountTexts.noSignals)) }
    context.console.say(DeliveryTexts.watching)
    let command = Self(store: store, context: context, stop: stop, follower: StoreFollower(store, context, stop))
    return command.run(from: status)
  }

  private func run(from status: AlertStatus) -> ExitStatus {
    let isSending = !context.invocation.has("no-sync") && canSend
    let continuation = isSending ? Continuation(store.home, context) : nil
    follower.start(isSending: isSending)
    let hasEnded = follow(from: status)
    follower.finish()
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

  /// True when no alert is active any more; false if the person left before that.
  private func follow(from first: AlertStatus) -> Bool {
    var progress = FollowProgress(first)
    while !stop.isMade {
      // A store that cannot be read now is read at its next change.
      if let status = try? store.status(.bounded) {
        context.tellReport(of: store)
        for event in progress.take(status, now: DeviceClock.monotonicMilliseconds()) { tell(event) }
        if status.alert?.isActive != true { return true }
      }
      follower.wait(milliseconds: progress.millisecondsToSilence(now: DeviceClock.monotonicMilliseconds()))
    }
    return false
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
  /// When the server was heard from last, or this began. By the monotonic clock, as all times here: the other one may be set.
  private var heardAt: Int64

  init(_ status: AlertStatus, now: Int64 = DeviceClock.monotonicMilliseconds()) {
    last = status
    heardAt = now
  }

  /// The events since the status before. An answer of a responder is one event, however many channels it is about. An error is one event,
  /// however often it is retried.
  mutating func take(_ status: AlertStatus, now: Int64) -> [WatchEvent] {
    let before = last
    last = status
    if status.sync.lastSuccessAt != before.sync.lastSuccessAt { heardAt = now }
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
  func millisecondsToSilence(now: Int64) -> Int64? {
    let left = Self.silenceMilliseconds - (now - heardAt)
    return left > 0 ? left : nil
  }

  private func isRepeated(_ event: WatchEvent, _ before: AlertStatus) -> Bool {
    switch event {
    case .disconnected(let reason, _, _): before.sync.lastError == reason
    case .receipt(let receipt, _) where receipt.isAnswer:
      before.responders.contains { $0.isSameAnswer(as: receipt) }
    default: false
    }
  }

  private func isTold(_ event: WatchEvent, _ events: [WatchEvent]) -> Bool {
    guard case .receipt(let receipt, _) = event, receipt.isAnswer else { return false }
    return events.contains { if case .receipt(let told, _) = $0 { told.isSameAnswer(as: receipt) } else { false } }
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
