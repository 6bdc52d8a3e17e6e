import DeviceCore
import LocalStore
import Model
import Wire

/// `inbox`: the alerts of people who named the person here as a responder.
enum InboxCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    try requireSession(store, context)
    guard !context.invocation.has("watch") else { return try InboxWatchCommand.run(store, context) }
    let all = try entries(store, context)
    let shown = context.invocation.has("all") ? all : all.filter { isRecent($0, at: context.moment.wall) }
    if shown.isEmpty { context.console.say(InboxTexts.empty) }
    for entry in shown {
      context.console.json { InboxJSON.writeMembers(entry, to: &$0) }
      for line in InboxReport(entry, among: all, context.time, context.console).lines { context.console.say(line) }
    }
    let sync = try context.attempt { () throws(LocalStoreError) in try store.status().sync }
    // A lease that cannot be examined counts as free, and the advice then does no harm.
    let isMoving = (try? SenderHealth.examine(store.home)) == .moving
    context.console.say(age(sync, isCurrent: isMoving && sync.lastError == nil, context))
    return .done
  }

  /// More than anybody reads.
  static let limit = 1000
  private static let recentMilliseconds: Int64 = 24 * 3_600_000

  static func requireSession(_ store: LocalStore, _ context: Context) throws(Failure) {
    guard try context.attempt({ () throws(LocalStoreError) in try store.session() }) != nil else {
      throw Failure(.notSignedIn, "not_signed_in", InboxTexts.signIn)
    }
  }

  static func entries(_ store: LocalStore, _ context: Context) throws(Failure) -> [InboxEntry] {
    try context.attempt { () throws(LocalStoreError) in try entries(store) }
  }

  /// Active alerts first, and of these the drills last.
  static func entries(_ store: LocalStore) throws(LocalStoreError) -> [InboxEntry] {
    let entries = try store.inbox(limit: limit)
    let drills = entries.filter { $0.alert.isActive && $0.alert.isDrill }
    return entries.filter { $0.alert.isActive && !$0.alert.isDrill } + drills + entries.filter { !$0.alert.isActive }
  }

  static func isRecent(_ entry: InboxEntry, at now: Timestamp) -> Bool {
    entry.alert.endedAt.map { now.milliseconds(since: $0) < recentMilliseconds } ?? true
  }

  /// Active alerts of others.
  static func active(_ store: LocalStore) throws(LocalStoreError) -> [InboxEntry] {
    try entries(store).filter(\.alert.isActive)
  }

  /// When the server was last asked, and what to do where nothing asks it.
  static func age(_ sync: SyncOverview, isCurrent: Bool, _ context: Context) -> String {
    InboxTexts.asOf(sync.lastSuccessAt.map(context.time.text), isCurrent: isCurrent)
  }
}
