import DeviceCore
import Glibc
import LocalStore
import Model

/// `alert deactivate`: ends every active alert, after a deliberate confirmation.
enum DeactivateCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    var isConfirmed = context.invocation.has("yes")
    do throws(Failure) {
      return try end(context, &isConfirmed)
    } catch {
      // The server can be told from a home that cannot be written.
      guard error.status == .notSaved, let unsaved = UnsavedAlert(try context.home(), context),
        let active = unsaved.active
      else { throw error }
      if !isConfirmed, try !self.isConfirmed(active, context) {
        context.console.note("The alert is still ACTIVE.")
        return .stopped
      }
      return try unsaved.end(because: error)
    }
  }

  private static func end(_ context: Context, _ confirmed: inout Bool) throws(Failure) -> ExitStatus {
    let store = try context.openStore(notSaved: true)
    let status = try context.attempt(notSaved: true) { () throws(LocalStoreError) in try store.status() }
    guard let active = status.alert, active.isActive else { return try sendDiscardedEnd(store, context) }
    if !confirmed, try !isConfirmed(active, context) {
      context.console.note("The alert is still ACTIVE.")
      return .stopped
    }
    confirmed = true
    let ended = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.deactivateAlerts(at: DeviceClock.now())
    }
    guard let last = ended.first(where: { $0.id == active.id }) ?? ended.last else {
      // Another process was faster.
      tellNothing(context)
      return .done
    }
    tell(last, count: ended.count, SendingOutlook.of(store), context)
    if !context.invocation.has("no-sync") {
      DeliveryFollower.follow(store, alert: last, notice: .deactivated, context)
    }
    return .done
  }

  /// An alert that ended here may be active for everybody else: its end was taken out of the queue.
  private static func sendDiscardedEnd(_ store: LocalStore, _ context: Context) throws(Failure) -> ExitStatus {
    let discarded = try context.attempt(notSaved: true) { () throws(LocalStoreError) in try store.discardedEnds() }
    guard let last = discarded.last else { return try sendUnsentEnd(store, context) }
    let raised = context.time.text(last.startedAt)
    let unknown =
      context.console.styled(.warning, "Your responders do NOT know that the alert of \(raised) is over")
      + ": its end was discarded here before it was sent."
    if !context.invocation.has("yes"), try !isConfirmed(unknown, context) {
      context.console.note("Your responders are still not told that you are safe.")
      return .stopped
    }
    _ = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.deactivateAlerts(at: DeviceClock.now())
    }
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(last, to: &json)
      json.member("ended", 0)
      json.member("sent_again", discarded.count)
      json.member("stage", DeliveryStage.saved.rawValue)
    }
    if context.invocation.has("yes") { context.console.say(unknown) }
    context.console.say(next(SendingOutlook.of(store), isSent: !context.invocation.has("no-sync")))
    if !context.invocation.has("no-sync") {
      DeliveryFollower.follow(store, alert: last, notice: .deactivated, context)
    }
    return .done
  }

  /// An alert that ended here may be active for everybody else: its end waits to be sent. Nothing is asked, since nothing is decided.
  private static func sendUnsentEnd(_ store: LocalStore, _ context: Context) throws(Failure) -> ExitStatus {
    let unsent = try context.attempt(notSaved: true) { () throws(LocalStoreError) in try store.unsentEnds() }
    guard let last = unsent.last else {
      tellNothing(context)
      return .done
    }
    tell(last, count: 0, SendingOutlook.of(store), context)
    guard !context.invocation.has("no-sync") else { return .done }
    store.home.poke()
    DeliveryFollower.follow(store, alert: last, notice: .deactivated, context)
    return .done
  }

  private static func tellNothing(_ context: Context) {
    context.console.json { json in
      json.key("alert")
      json.null()
      json.member("ended", 0)
    }
    context.console.say("No alert is active. Nothing to end.")
  }

  /// The word "safe", typed and entered: neither a stray key nor a held one ends a call for help.
  private static func isConfirmed(_ alert: Alert, _ context: Context) throws(Failure) -> Bool {
    let what = alert.isDrill ? "DRILL" : "ALERT"
    let active = context.console.styled(.bad, "\(what) ACTIVE") + " since \(context.time.text(alert.startedAt))."
    return try isConfirmed(active, context)
  }

  private static func isConfirmed(_ situation: String, _ context: Context) throws(Failure) -> Bool {
    guard context.console.isInteractive else {
      throw Failure(
        .usage, "confirmation_needed",
        "the alert is still ACTIVE: there is no terminal to confirm at. To end it without asking, add --yes")
    }
    context.console.prompt(
      situation + "\n"
        + "If you are safe, type " + context.console.styled(.strong, "safe") + " and press Enter: ")
    guard let word = readLine() else {
      context.console.prompt("\n")
      return false
    }
    return word.lowercased().split(separator: " ").joined() == "safe"
  }

  private static func tell(_ alert: Alert, count: Int, _ outlook: SendingOutlook, _ context: Context) {
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(alert, to: &json)
      json.member("ended", count)
      json.member("stage", DeliveryStage.saved.rawValue)
    }
    let drill = alert.isDrill ? "DRILL " : ""
    let endedAt = context.time.text(alert.endedAt ?? context.moment.wall)
    context.console.say(context.console.styled(.good, "\(drill)ENDED") + " on this device at \(endedAt).")
    context.console.say(next(outlook, isSent: !context.invocation.has("no-sync")))
  }

  /// Ended here is not ended for those who are on their way.
  private static func next(_ outlook: SendingOutlook, isSent: Bool) -> String {
    let unknown = "Your responders do NOT know yet that you are safe"
    switch outlook {
    case .notSignedIn: return "\(unknown): this device is not signed in. They are told when it is.\n" + Advice.signIn
    case .noServer: return "\(unknown): no server is set. They are told when one is.\n" + Advice.endpoint
    case .possible where !isSent: return "\(unknown) (--no-sync). To tell them: lifesignal sync"
    case .possible: return "Telling your responders that you are safe. Wait for RECEIVED."
    }
  }
}
