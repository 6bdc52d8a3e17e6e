import DeviceCore
import LocalStore
import Model

/// `inbox --watch`: shows each change of the inbox until Ctrl-C.
struct InboxWatchCommand {
  private let store: LocalStore
  private let context: Context
  private let stop: StopRequest
  private let follower: StoreFollower

  static func run(_ store: LocalStore, _ context: Context) throws(Failure) -> ExitStatus {
    let first = try InboxCommand.entries(store, context)
    // Before any other thread.
    guard let stop = StopRequest() else { throw Failure(.unreachable, "system", AccountTexts.noSignals) }
    let status = try context.attempt { () throws(LocalStoreError) in try store.status() }
    let command = Self(
      store: store, context: context, stop: stop, follower: StoreFollower(store, context, stop))
    let isFetching = !context.invocation.has("no-sync")
    command.tellFirst(first)
    command.tellStanding(status.sync, isFetching: isFetching)
    context.console.say(InboxTexts.watching)
    command.follower.start(isSending: isFetching)
    command.follow(from: first, status)
    command.follower.finish()
    return .done
  }

  private func tellFirst(_ entries: [InboxEntry]) {
    let active = entries.filter(\.alert.isActive)
    if active.isEmpty { context.console.say(InboxTexts.empty) }
    for entry in active {
      context.console.json { json in
        json.member("event", "status")
        json.member("at", DeviceClock.now().wall.description)
        InboxJSON.writeMembers(entry, to: &json)
      }
      for line in InboxReport(entry, among: entries, context.time, context.console).lines { context.console.say(line) }
    }
  }

  /// Says how old the inbox is, and whether nothing new comes in.
  private func tellStanding(_ sync: SyncOverview, isFetching: Bool) {
    let health = try? SenderHealth.examine(store.home)
    let standing = InboxStanding(sync, SendingOutlook.of(store), health, isFetching: isFetching)
    context.console.say(InboxCommand.age(sync, isCurrent: true, context))
    guard let standing else { return }
    let now = DeviceClock.now().wall
    let event = WatchEvent.disconnected(
      reason: standing.reason, kind: standing.kind, nextAttemptAt: sync.nextAttemptAt)
    context.console.json { event.writeMembers(now: now, to: &$0) }
    let reason = Sentences.capitalized(Sentences.closed(standing.reason.printable))
    context.console.say(InboxTexts.nothingComesIn(reason, standing.advice, context.console))
  }

  /// How long a change can stay unnoticed that the system does not tell of.
  private static let longestWaitMilliseconds: Int64 = 5000

  private func follow(from first: [InboxEntry], _ status: AlertStatus) {
    var shown = Shown(entries: first)
    var connection = FollowProgress(status)
    while !stop.isMade {
      tellChanges(&shown)
      if let status = try? store.status(.bounded) { tellConnection(&connection, status) }
      follower.wait(milliseconds: Self.longestWaitMilliseconds)
    }
  }

  /// What was shown, and the revision of the inbox that it is at least as new as.
  private struct Shown {
    var entries: [InboxEntry]
    var revision: String?
  }

  private func tellChanges(_ shown: inout Shown) {
    let revision = (try? store.revision())?.inbox
    if let revision, revision == shown.revision { return }
    // A store that cannot be read now is read later.
    guard let entries = try? InboxCommand.entries(store) else { return }
    context.tellReport(of: store)
    for event in InboxEvent.between(shown.entries, entries) { tell(event, among: entries) }
    shown = Shown(entries: entries, revision: revision)
  }

  private func tell(_ event: InboxEvent, among entries: [InboxEntry]) {
    let now = DeviceClock.now().wall
    let time = LocalTime(now: now)
    context.console.json { event.writeMembers(now: now, to: &$0) }
    var bell = event.ringsBell && context.console.isOutputTerminal ? "\u{7}" : ""
    for line in event.lines(among: entries, time, context.console) {
      context.console.say("\(time.text(now))  \(line)\(bell)")
      bell = ""
    }
  }

  /// Says that the server cannot be reached, and that it can again: without it nothing new is shown.
  private func tellConnection(_ progress: inout FollowProgress, _ status: AlertStatus) {
    let now = DeviceClock.now().wall
    let time = LocalTime(now: now)
    for event in progress.take(status, now: DeviceClock.monotonicMilliseconds()) where event.isOfConnection {
      context.console.json { event.writeMembers(now: now, to: &$0) }
      context.console.say("\(time.text(now))  \(event.text(time, context.console))")
    }
  }
}

extension WatchEvent {
  /// Whether it says that the server can be reached, or cannot.
  fileprivate var isOfConnection: Bool {
    switch self {
    case .connected, .disconnected: true
    default: false
    }
  }
}
