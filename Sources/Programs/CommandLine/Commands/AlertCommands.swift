import DeviceCore
import LocalStore
import Model

/// `alert status` and `alert history`, which change nothing.
enum AlertCommands {
  static func status(_ context: Context) throws(Failure) -> ExitStatus {
    let home = try context.home()
    let store: LocalStore
    let status: AlertStatus
    do throws(LocalStoreError) {
      store = try LocalStore.open(home, at: context.moment)
      status = try store.status()
    } catch {
      return try SpooledAlerts.tellStatus(home, context, because: error)
    }
    context.tellReport(of: store)
    let report = try report(status, store, context)
    context.console.json { report.writeMembers(to: &$0) }
    for line in report.lines { context.console.say(line) }
    return report.exitStatus
  }

  /// The report of a status, with the responders of whom the server has said nothing yet.
  static func report(
    _ status: AlertStatus, _ store: LocalStore, _ context: Context
  ) throws(Failure) -> AlertReport {
    var (silent, later): ([Contact], [Contact]) = ([], [])
    if let alert = status.alert, alert.isActive {
      let told = Set(status.responders.map(\.contactID))
      let contacts = try context.attempt { () throws(LocalStoreError) in try store.contacts() }.map(\.contact)
      let atOnce = alert.isDrill ? contacts : contacts.toldAtOnce
      silent = contacts.filter { $0.details.isResponder && !told.contains($0.id) }
      later = silent.filter { !atOnce.contains($0) }
      silent.removeAll { later.contains($0) }
    }
    let session = try context.attempt { () throws(LocalStoreError) in try store.session() }
    var report = AlertReport(
      status: status, silentResponders: silent.map(\.details.name), time: context.time, console: context.console,
      isSessionExpired: session?.isExpired ?? false)
    if status.alert?.isActive != true { report.unknown = store.unknownOutside() }
    report.laterResponders = later.map(\.details.name)
    let isUnsent = status.sync.pending > 0
    // While an alert is active, what the server tells of it is to be saved as well.
    if isUnsent || status.alert?.isActive == true { report.obstacle = AnswerObstacle.examine(store) }
    if isUnsent {
      report.waiting = try context.attempt { () throws(LocalStoreError) in try store.waitingCounts() }
    }
    if status.sync.parked > 0 {
      report.refused = try context.attempt { () throws(LocalStoreError) in try store.refusedCounts() }
    }
    if isUnsent || status.sync.unsentOutside > 0 || !silent.isEmpty
      || (status.responders + status.safeReceipts).contains(where: { $0.state == .queued })
    {
      report.sender = try context.attempt { () throws(LocalStoreError) in try SenderHealth.examine(store.home) }
    }
    return report
  }

  static func history(_ context: Context) throws(Failure) -> ExitStatus {
    let limit = try AlertInput.integer(context.invocation.value("limit") ?? "20", "--limit", in: 1...1000)
    let home = try context.home()
    let store: LocalStore
    let page: HistoryPage
    do throws(LocalStoreError) {
      store = try LocalStore.open(home, at: context.moment)
      page = try store.history(limit: limit, before: nil)
    } catch {
      return try SpooledAlerts.tellHistory(home, context, because: error)
    }
    context.tellReport(of: store)
    let unknown = store.unknownOutside()
    if page.entries.isEmpty, unknown == nil { context.console.say(DeliveryTexts.noAlert) }
    for entry in page.entries { tell(entry, context) }
    if page.next != nil { context.console.say(DeliveryTexts.moreHistory) }
    return unknown == nil ? .done : .notSaved
  }

  static func tell(_ entry: HistoryEntry, _ context: Context) {
    context.console.json { writeMembers(entry, to: &$0) }
    context.console.say(line(entry, context))
  }

  private static func line(_ entry: HistoryEntry, _ context: Context) -> String {
    let alert = entry.alert
    let started = context.time.full(alert.startedAt)
    let stage = entry.stage == .accepted ? DeliveryTexts.historyAccepted : DeliveryTexts.historyUnsent
    let ended =
      alert.endedAt.map { DeliveryTexts.historyEnded(context.time.full($0)) }
      ?? context.console.styled(.bad, DeliveryTexts.historyActive)
    let state = entry.isDiscarded ? DeliveryTexts.historyDiscarded : "\(ended)  \(stage)"
    let drill = alert.isDrill ? "  DRILL" : ""
    let message = alert.message.map { "\n    “\($0.printable)”" } ?? ""
    return "\(started)  \(state)\(drill)\(message)"
  }
}
