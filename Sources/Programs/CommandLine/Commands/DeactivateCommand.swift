import CurlTransport
import DeviceCore
import Glibc
import LocalStore
import Model
import SyncEngine
import Wire

/// `alert deactivate`: ends every active alert, after a deliberate confirmation.
enum DeactivateCommand {
  /// How long the server is asked beside the background worker.
  private static let askLimitMilliseconds: Int64 = 8000

  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    var confirmed: Set<AlertID> = []
    let store: LocalStore
    let obstacle: Failure?
    do throws(Failure) {
      store = try context.openStore(notSaved: true)
      if let status = try end(store, context, &confirmed) { return status }
      obstacle = askServer(store, context)
      if let status = try end(store, context, &confirmed) { return status }
    } catch {
      // The server can be told from a home that cannot be written.
      guard error.status == .notSaved, let unsaved = UnsavedAlert(try context.home(), context) else { throw error }
      let active = unsaved.active()
      guard !active.isEmpty else {
        // An end that waits here cannot be sent now.
        if let store = try? context.openStore(), (try? store.discardedEnds().isEmpty) != true { throw error }
        throw Failure(
          error.status, error.code,
          AlertTexts.noneKnown(Sentences.capitalized(Sentences.closed(error.message))))
      }
      guard try isConfirmed(active.filter { $0.unsavedEnd == nil }.map(\.alert), &confirmed, context) else {
        return .stopped
      }
      return try unsaved.end(active, because: error)
    }
    return try endNothing(store, unless: obstacle, context)
  }

  /// Says that no alert is active, where that is known.
  ///
  /// - Parameter obstacle: why the server could not be asked.
  private static func endNothing(
    _ store: LocalStore, unless obstacle: Failure?, _ context: Context
  ) throws(Failure) -> ExitStatus {
    if let obstacle {
      tellNothing(isUnknown: true, context)
      throw obstacle
    }
    if let unknown = store.unknownOutside() {
      throw Failure(.notSaved, "unknown", AlertTexts.noneReadable(Sentences.closed(unknown)))
    }
    tellNothing(context)
    context.console.say(AlertTexts.nothingToEnd)
    return .done
  }

  /// Ends what is active here, or sends an end that waits; nil if there is neither.
  private static func end(
    _ store: LocalStore, _ context: Context, _ confirmed: inout Set<AlertID>
  ) throws(Failure) -> ExitStatus? {
    let shown = try context.attempt(notSaved: true) { () throws(LocalStoreError) in try store.alertsToEnd() }
    guard !shown.isEmpty else { return try sendDiscardedEnd(store, context) }
    let active = shown.map(\.alert)
    guard try isConfirmed(active, &confirmed, context) else { return .stopped }
    let isAlone = hasNobodyToTell(store, active)
    let ended = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      // What came while the person was asked goes on: they have not seen it.
      try store.deactivateAlerts(context.invocation.has("yes") ? nil : shown, at: DeviceClock.now())
    }
    // None if another process was faster.
    guard let last = ended.first(where: { !$0.isDrill }) ?? ended.last else { return nil }
    let left = Left(store, besides: ended)
    tell(last, count: ended.count, left: left, SendingOutlook.of(store), isAlone: isAlone, context)
    return try follow(store, last, alsoEnded: ended, left: left.alerts, context)
  }

  /// What is active after an end.
  private struct Left {
    private(set) var alerts: [Alert] = []
    /// Why there may be others; nil if it is known that there are none.
    private(set) var unknown: String?

    /// Nothing is.
    init() {}

    init(_ store: LocalStore, besides ended: [Alert] = []) {
      do throws(LocalStoreError) {
        alerts = try store.activeAlerts().filter { alert in !ended.contains { $0.id == alert.id } }
        unknown = store.unknownOutside()
      } catch {
        unknown = error.message
      }
    }
  }

  /// Waits for the server's answer, and says if it did not take an end.
  ///
  /// - Parameter left: alerts of which it was said that they are active.
  private static func follow(
    _ store: LocalStore, _ alert: Alert, alsoEnded: [Alert], left: [Alert] = [], _ context: Context
  ) throws(Failure) -> ExitStatus {
    guard !context.invocation.has("no-sync") else { return .done }
    let refused = DeliveryFollower.follow(
      store, alert: alert, alsoEnded: alsoEnded, notice: .deactivated, alsoActive: left.map(\.id), context)
    guard !refused.isEmpty else { return .done }
    // For a person the follower has said which, and why.
    if context.console.isJSON { throw Failure(.refused, "not_ended", AlertTexts.endRefused(refused.count)) }
    return .refused
  }

  /// Asks, unless it was said on the command line or before. False: they stay active, which is said.
  private static func isConfirmed(
    _ alerts: [Alert], _ confirmed: inout Set<AlertID>, _ context: Context
  ) throws(Failure) -> Bool {
    if context.invocation.has("yes") || alerts.allSatisfy({ confirmed.contains($0.id) }) { return true }
    guard try isConfirmed(alerts, context) else {
      context.console.note(AlertTexts.stillActive)
      return false
    }
    confirmed.formUnion(alerts.map(\.id))
    return true
  }

  /// Whether it is known that nobody was told of the only active alert, and that there is nobody to be told of its end.
  private static func hasNobodyToTell(_ store: LocalStore, _ active: [Alert]) -> Bool {
    guard active.count == 1, let status = try? store.status(), status.alert?.id == active[0].id else { return false }
    return status.nobodyIsTold == .noResponders && status.responders.isEmpty
  }

  /// Asks the server what is active. Gives why it could not be asked, if it should have been.
  private static func askServer(_ store: LocalStore, _ context: Context) -> Failure? {
    guard !context.invocation.has("no-sync"), case .possible = SendingOutlook.of(store) else { return nil }
    context.console.say(AlertTexts.askingServer)
    do throws(SyncWorkerError) {
      switch try SyncWorker.runOnce(store: store, deadlineMilliseconds: DeliveryFollower.limitMilliseconds) {
      case .done(let report): return report.error.map(notAsked)
      case .handedOver:
        // The worker may trust a connection that is dead, and not know that.
        guard case .failure(let failure) = FreshPull.run(store, limitMilliseconds: askLimitMilliseconds) else {
          return nil
        }
        return notAsked(failure)
      }
    } catch {
      return Failure(Failure(error).status, "not_checked", AlertTexts.notAsked(Sentences.closed(error.message)))
    }
  }

  private static func notAsked(_ failure: SyncFailure) -> Failure {
    let reason = Sentences.closed(failure.message)
    switch failure.kind {
    case .notSignedIn, .unauthorized:
      return Failure(.notSignedIn, "not_checked", AlertTexts.notAsked(reason, next: Advice.signInAgain))
    case .store: return Failure(.notSaved, "not_checked", AlertTexts.notAsked(reason))
    default: return Failure(.unreachable, "not_checked", AlertTexts.notAsked(reason))
    }
  }

  /// Sends an end that a person discarded: its alert may still be active for everybody else.
  private static func sendDiscardedEnd(_ store: LocalStore, _ context: Context) throws(Failure) -> ExitStatus? {
    let discarded = try context.attempt(notSaved: true) { () throws(LocalStoreError) in try store.discardedEnds() }
    guard let last = discarded.last else { return try sendUnsentEnd(store, context) }
    let unknown = AlertTexts.endDiscarded(
      isDrill: last.isDrill, raised: context.time.text(last.startedAt), context.console)
    if !context.invocation.has("yes"), try !isConfirmed(unknown, context) {
      context.console.note(AlertTexts.stillUntold(isDrill: last.isDrill))
      return .stopped
    }
    _ = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      // Nothing was shown as active: what is by now goes on.
      try store.deactivateAlerts([], at: DeviceClock.now())
    }
    let left = Left(store)
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(last, to: &json)
      json.member("ended", 0)
      write(left, to: &json)
      json.member("sent_again", discarded.count)
      json.member("stage", DeliveryStage.saved.rawValue)
    }
    if context.invocation.has("yes") { context.console.say(unknown) }
    context.console.say(
      next(SendingOutlook.of(store), isDrill: last.isDrill, isSent: !context.invocation.has("no-sync")))
    tell(left, context)
    return try follow(store, last, alsoEnded: discarded, left: left.alerts, context)
  }

  /// Sends an end that waits: its alert may still be active for everybody else. It was confirmed before, so nothing is asked.
  private static func sendUnsentEnd(_ store: LocalStore, _ context: Context) throws(Failure) -> ExitStatus? {
    let unsent = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      // An end in memory is saved first; if that fails, it is sent from there.
      try store.takeInEnds(at: DeviceClock.now())
      return try store.unsentEnds()
    }
    guard let last = unsent.last else { return nil }
    tell(last, count: 0, SendingOutlook.of(store), context)
    if !context.invocation.has("no-sync") { store.home.poke() }
    return try follow(store, last, alsoEnded: unsent, context)
  }

  private static func tellNothing(isUnknown: Bool = false, _ context: Context) {
    context.console.json { json in
      if isUnknown { json.member("active_unknown", true) }
      json.key("alert")
      json.null()
      json.member("ended", 0)
    }
  }

  /// Asks for the word "safe", so that neither a stray nor a held key ends a call for help.
  private static func isConfirmed(_ alerts: [Alert], _ context: Context) throws(Failure) -> Bool {
    let times = alerts.map { context.time.text($0.startedAt) }.joined(separator: ", ")
    let isDrill = alerts.allSatisfy(\.isDrill)
    return try isConfirmed(AlertTexts.active(alerts.count, isDrill: isDrill, since: times, context.console), context)
  }

  private static func isConfirmed(_ situation: String, _ context: Context) throws(Failure) -> Bool {
    guard context.console.isInteractive else {
      throw Failure(.usage, "confirmation_needed", AlertTexts.endingNeedsTerminal)
    }
    context.console.prompt(situation + "\n" + AlertTexts.typeSafe(context.console))
    guard let word = readLine() else {
      context.console.prompt("\n")
      return false
    }
    return word.lowercased().split(separator: " ").joined() == "safe"
  }

  /// - Parameters:
  ///   - left: what is still active.
  ///   - isAlone: whether there is nobody to be told of its end.
  private static func tell(
    _ alert: Alert, count: Int, left: Left = Left(), _ outlook: SendingOutlook, isAlone: Bool = false,
    _ context: Context
  ) {
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(alert, to: &json)
      json.member("ended", count)
      write(left, to: &json)
      json.member("stage", DeliveryStage.saved.rawValue)
    }
    let endedAt = context.time.text(alert.endedAt ?? context.moment.wall)
    context.console.say(AlertTexts.ended(count, isDrill: alert.isDrill, at: endedAt, context.console))
    let isSent = !context.invocation.has("no-sync")
    context.console.say(
      isAlone ? nextAlone(outlook, isSent: isSent) : next(outlook, isDrill: alert.isDrill, isSent: isSent))
    tell(left, context)
  }

  private static func write(_ left: Left, to json: inout JSONWriter) {
    if !left.alerts.isEmpty { json.member("still_active", left.alerts.count) }
    if left.unknown != nil { json.member("active_unknown", true) }
  }

  private static func tell(_ left: Left, _ context: Context) {
    for other in left.alerts {
      let started = context.time.text(other.startedAt)
      context.console.say(AlertTexts.raisedMeanwhile(isDrill: other.isDrill, since: started, context.console))
    }
    if let unknown = left.unknown {
      context.console.say(AlertTexts.othersUnknown(Sentences.closed(unknown), context.console))
    }
  }

  /// What responders know: the alert may have ended here and not for those who are on their way.
  private static func next(_ outlook: SendingOutlook, isDrill: Bool, isSent: Bool) -> String {
    switch outlook {
    case .notSignedIn: AlertTexts.endNeedsSignIn(isDrill: isDrill)
    case .noServer: AlertTexts.endNeedsServer(isDrill: isDrill)
    case .possible where !isSent: AlertTexts.endUnsentAsAsked(isDrill: isDrill)
    case .possible: AlertTexts.endSending(isDrill: isDrill)
    }
  }

  private static func nextAlone(_ outlook: SendingOutlook, isSent: Bool) -> String {
    switch outlook {
    case .notSignedIn: AlertTexts.endNeedsSignInAlone
    case .noServer: AlertTexts.endNeedsServerAlone
    case .possible where !isSent: AlertTexts.endUnsentAsAskedAlone
    case .possible: AlertTexts.endSendingAlone
    }
  }
}
