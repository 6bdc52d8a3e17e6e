import Glibc
import LifeSignal
import LocalStore
import Model

/// `alert deactivate`: ends every active alert, after a deliberate confirmation.
enum DeactivateCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    let status = try context.attempt { () throws(LocalStoreError) in try store.status() }
    guard let active = status.alert, active.isActive else {
      tellNothing(context)
      return .done
    }
    if !context.invocation.has("yes"), try !isConfirmed(active, context) {
      context.console.note("The alert is still ACTIVE.")
      return .stopped
    }
    let ended = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.deactivateAlerts(at: DeviceClock.now())
    }
    guard let last = ended.first(where: { $0.id == active.id }) ?? ended.last else {
      // Another process was faster.
      tellNothing(context)
      return .done
    }
    tell(last, count: ended.count, signedIn: status.sync.signedIn, context)
    if !context.invocation.has("no-sync") {
      DeliveryFollower.follow(store, alert: last, notice: .deactivated, context)
    }
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
    guard context.console.isInteractive else {
      throw Failure(
        .usage, "confirmation_needed",
        "the alert is still ACTIVE: there is no terminal to confirm at. To end it without asking, add --yes")
    }
    let what = alert.isDrill ? "DRILL" : "ALERT"
    context.console.prompt(
      context.console.styled(.bad, "\(what) ACTIVE") + " since \(context.time.text(alert.startedAt)).\n"
        + "If you are safe, type " + context.console.styled(.strong, "safe") + " and press Enter: ")
    guard let word = readLine() else {
      context.console.prompt("\n")
      return false
    }
    return word.lowercased().split(separator: " ").joined() == "safe"
  }

  private static func tell(_ alert: Alert, count: Int, signedIn: Bool, _ context: Context) {
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(alert, to: &json)
      json.member("ended", count)
      json.member("stage", DeliveryStage.saved.rawValue)
    }
    let drill = alert.isDrill ? "DRILL " : ""
    let endedAt = context.time.text(alert.endedAt ?? context.moment.wall)
    context.console.say(context.console.styled(.good, "\(drill)ENDED") + " on this device at \(endedAt).")
    if !signedIn {
      context.console.say("Your responders do not know yet: this device is not signed in.\n" + Advice.signIn)
    } else if context.invocation.has("no-sync") {
      context.console.say("Your responders do not know yet (--no-sync). To tell them: lifesignal sync")
    } else {
      context.console.say("Telling your responders that you are safe. You may close this.")
    }
  }
}
