import CurlTransport
import DeviceCore
import Glibc
import LocalStore
import Model
import SyncEngine

/// `alert deactivate`: ends every active alert, after a deliberate confirmation.
enum DeactivateCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    var isConfirmed = context.invocation.has("yes")
    do throws(Failure) {
      let store = try context.openStore(notSaved: true)
      if let status = try end(store, context, &isConfirmed) { return status }
      guard try askServer(store, context), let status = try end(store, context, &isConfirmed) else {
        tellNothing(context)
        return .done
      }
      return status
    } catch {
      // The server can be told from a home that cannot be written.
      guard error.status == .notSaved, let unsaved = UnsavedAlert(try context.home(), context) else { throw error }
      let active = unsaved.active
      guard !active.isEmpty else {
        // One that has ended here waits to be sent, and cannot be now.
        if let store = try? context.openStore(), (try? store.discardedEnds().isEmpty) != true { throw error }
        throw Failure(
          error.status, error.code,
          "no alert is known to be active on this device. If one was raised on another, end it there. \(error.message)")
      }
      let unended = active.filter { !$0.isEnded }.map(\.alert)
      if !isConfirmed, !unended.isEmpty, try !self.isConfirmed(unended, context) {
        context.console.note("The alert is still ACTIVE.")
        return .stopped
      }
      return try unsaved.end(because: error)
    }
  }

  /// nil where nothing is active here, and no end waits.
  private static func end(
    _ store: LocalStore, _ context: Context, _ confirmed: inout Bool
  ) throws(Failure) -> ExitStatus? {
    let active = try context.attempt(notSaved: true) { () throws(LocalStoreError) in try store.activeAlerts() }
    guard !active.isEmpty else { return try sendDiscardedEnd(store, context) }
    if !confirmed, try !isConfirmed(active, context) {
      context.console.note("The alert is still ACTIVE.")
      return .stopped
    }
    confirmed = true
    let ended = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.deactivateAlerts(at: DeviceClock.now())
    }
    // Where there is none another process was faster.
    guard let last = ended.first(where: { !$0.isDrill }) ?? ended.last else { return nil }
    tell(last, count: ended.count, SendingOutlook.of(store), context)
    if !context.invocation.has("no-sync") {
      DeliveryFollower.follow(store, alert: last, notice: .deactivated, context)
    }
    return .done
  }

  /// Whether an alert is active of which this device had not heard.
  private static func askServer(_ store: LocalStore, _ context: Context) throws(Failure) -> Bool {
    guard !context.invocation.has("no-sync"), case .possible = SendingOutlook.of(store) else { return false }
    context.console.say("No alert is active on this device. Asking the server for those of other devices.")
    do throws(SyncWorkerError) {
      let outcome = try SyncWorker.runOnce(store: store, deadlineMilliseconds: DeliveryFollower.limitMilliseconds)
      switch outcome {
      case .done(let report):
        if let error = report.error { tellNotAsked(error.message, context) }
      case .handedOver:
        // The worker is told of what is new as it happens, where it moves and has a connection.
        let health = try? SenderHealth.examine(store.home)
        if let standstill = health?.standstill {
          tellNotAsked(standstill, context)
        } else if let error = try? store.status().sync.lastError {
          tellNotAsked(error, context)
        }
      }
    } catch {
      tellNotAsked(error.message, context)
    }
    return try context.attempt { () throws(LocalStoreError) in try !store.activeAlerts().isEmpty }
  }

  private static func tellNotAsked(_ reason: String, _ context: Context) {
    context.console.note(
      "The server could not be asked: \(SyncText.sentence(reason)) An alert that another device raised may be ACTIVE.")
  }

  /// An alert that ended here may be active for everybody else: its end was taken out of the queue.
  private static func sendDiscardedEnd(_ store: LocalStore, _ context: Context) throws(Failure) -> ExitStatus? {
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
  private static func sendUnsentEnd(_ store: LocalStore, _ context: Context) throws(Failure) -> ExitStatus? {
    let unsent = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      // One that lies in memory is taken in; where that fails, it is sent from there.
      try store.takeInEnds(at: DeviceClock.now())
      return try store.unsentEnds()
    }
    guard let last = unsent.last else { return nil }
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
  private static func isConfirmed(_ alerts: [Alert], _ context: Context) throws(Failure) -> Bool {
    let what = alerts.allSatisfy(\.isDrill) ? "DRILL" : "ALERT"
    let count = alerts.count > 1 ? "\(alerts.count) " : ""
    let times = alerts.map { context.time.text($0.startedAt) }.joined(separator: ", ")
    let active = context.console.styled(.bad, "\(count)\(what)\(alerts.count > 1 ? "S" : "") ACTIVE")
    return try isConfirmed("\(active) since \(times)." + (alerts.count > 1 ? " This ends all of them." : ""), context)
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
    let what = count > 1 ? " \(count) alerts" : ""
    context.console.say(context.console.styled(.good, "\(drill)ENDED") + "\(what) on this device at \(endedAt).")
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
