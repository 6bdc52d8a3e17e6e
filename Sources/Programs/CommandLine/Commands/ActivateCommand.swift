import DeviceCore
import LocalStore
import Model

/// `alert activate`: durable first, said at once, and only then sent.
enum ActivateCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let accessories = ActivationAccessories(context.invocation)
    let draft = AlertDraft(
      message: accessories.message, location: accessories.location, isDrill: context.invocation.has("drill"),
      utcOffsetMinutes: LocalTime.offsetMinutes(at: context.moment.wall))
    let home = try context.home()
    var store: LocalStore?
    if !context.invocation.has("yes") {
      // A store that cannot be opened is no reason not to ask: the spool may still take the alert.
      store = try? LocalStore.open(home, at: context.moment)
      if !isActiveAlready(draft, store), try !isConfirmed(draft, context) {
        context.console.note("Not raised. Nothing was sent.")
        return .stopped
      }
    }
    // After the prompt: the alert starts now, not when the command did.
    let moment = context.invocation.has("yes") ? context.moment : DeviceClock.now()
    let outcome: EmergencyActivation.Outcome
    do throws(EmergencyActivation.NotSaved) {
      outcome = try EmergencyActivation.perform(draft, home: home, store: store, at: moment)
    } catch {
      guard let unsaved = UnsavedAlert(home, context) else { throw Failure(error) }
      return try unsaved.raise(draft, at: moment, warnings: accessories.warnings, because: error)
    }
    tell(outcome, accessories.warnings, context)
    if outcome.activation.isSpooled, sendSpooled(outcome, draft, home, context) { return .done }
    guard let store = outcome.store, !context.invocation.has("no-sync") else { return .done }
    if !isDrillLeftOut(outcome, context) {
      DeliveryFollower.follow(
        store, alert: outcome.activation.alert, press: outcome.activation.press, notice: .activated, context)
    } else if let call = try? store.unsentCall() {
      DeliveryFollower.follow(store, alert: call.alert, press: call.press, notice: .activated, context)
    }
    return .done
  }

  /// A real alert is active, to which a drill adds nothing.
  private static func isDrillLeftOut(_ outcome: EmergencyActivation.Outcome, _ context: Context) -> Bool {
    context.invocation.has("drill") && !outcome.activation.alert.isDrill
  }

  /// Then there is nothing that could be raised by accident, and nothing to be asked.
  private static func isActiveAlready(_ draft: AlertDraft, _ store: LocalStore?) -> Bool {
    guard let alert = try? store?.status().alert, alert.isActive else { return false }
    return draft.isDrill || !alert.isDrill
  }

  /// Asks for the four presses.
  private static func isConfirmed(_ draft: AlertDraft, _ context: Context) throws(Failure) -> Bool {
    guard context.console.isInteractive else {
      throw Failure(
        .usage, "confirmation_needed",
        "NOT raised: there is no terminal to confirm at. To raise it without asking, add --yes")
    }
    let prompt = ActivationPrompt(
      console: context.console, isDrill: draft.isDrill, clock: DeviceClock.monotonicMilliseconds)
    return prompt.ask() == .raise
  }

  /// The store cannot send what waits in the spool before it works again. What a call says that had no room there is sent from here.
  private static func sendSpooled(
    _ outcome: EmergencyActivation.Outcome, _ draft: AlertDraft, _ home: HomeDirectory, _ context: Context
  ) -> Bool {
    let reason = outcome.storeError?.message ?? "the store cannot be written"
    guard let unsaved = UnsavedAlert(home, context) else { return false }
    guard outcome.activation.isCallSaved else {
      return unsaved.callAgain(draft, at: DeviceClock.now(), because: reason)
    }
    return unsaved.sendSpooled(outcome.activation.press, because: reason)
  }

  private static func tell(
    _ outcome: EmergencyActivation.Outcome, _ warnings: [String], _ context: Context
  ) {
    let activation = outcome.activation
    let stage = stage(outcome, context)
    let nobody = activation.alert.isDrill ? nil : (try? outcome.store?.status())?.nobodyIsTold
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(activation.alert, to: &json)
      json.member("already_active", activation.alreadyActive)
      if isDrillLeftOut(outcome, context) { json.member("drill_raised", false) }
      json.member("stage", stage.rawValue)
      json.member("nobody_is_told", nobody?.rawValue)
      if activation.isSpooled { json.member("spooled", true) }
      if !warnings.isEmpty {
        json.key("warnings")
        json.array { for warning in warnings { $0.string(warning) } }
      }
    }
    if let nobody { context.console.say(NobodyText.line(nobody, context.console)) }
    context.console.say(headline(activation, stage, context))
    for warning in warnings { context.console.note("WARNING: \(warning)") }
    if activation.isSpooled {
      let reason = outcome.storeError.map { ": \($0.message)" } ?? ""
      context.console.note(
        "NOT SENT YET. The store could not take it\(reason). The alert waits in a file of its own, and is sent as soon as the store "
          + "works again. See: lifesignal doctor")
    }
    if let store = outcome.store { tellWhatIsNext(store, stage, context) }
  }

  private static func headline(_ activation: Activation, _ stage: DeliveryStage, _ context: Context) -> String {
    let console = context.console
    let started = context.time.text(activation.alert.startedAt)
    let drill = activation.alert.isDrill ? "DRILL " : ""
    guard activation.alreadyActive else {
      return console.styled(.good, "\(drill)SAVED") + " on this device at \(started)."
    }
    let active = console.styled(.bad, "\(drill)ALREADY ACTIVE") + " since \(started)."
    if context.invocation.has("drill"), !activation.alert.isDrill {
      return console.styled(.warning, "NO DRILL was raised:") + " a real alert is " + active
        + (stage == .accepted ? "" : " The server has NOT received your last call for help yet.")
    }
    if stage == .accepted { return active + " The server has received it." }
    guard activation.isCallSaved else {
      return active + "\n" + console.styled(.bad, "There is no room for what you say now: it is NOT saved.")
    }
    return active + "\n" + console.styled(.good, "Your new call is SAVED") + " on this device. "
      + console.styled(.warning, "The server has NOT received it yet.")
  }

  private static func tellWhatIsNext(_ store: LocalStore, _ stage: DeliveryStage, _ context: Context) {
    context.tellReport(of: store)
    guard !context.console.isJSON, stage == .saved else { return }
    switch SendingOutlook.of(store) {
    case .notSignedIn:
      context.console.say(
        context.console.styled(.warning, "NOT SENT: this device is not signed in.") + " The alert stays saved.\n"
          + Advice.signIn)
    case .noServer:
      context.console.say(
        context.console.styled(.warning, "NOT SENT: no server is set.") + " The alert stays saved.\n"
          + Advice.endpoint)
    case .possible where context.invocation.has("no-sync"):
      context.console.say("Not sent yet (--no-sync). To send it: lifesignal sync")
    case .possible:
      context.console.say("Sending it now. Wait for RECEIVED; the alert stays saved in any case.")
    }
  }

  /// How far this call got: one that was just saved has not been received, whatever was received before. Where a drill was left out,
  /// how far the real calls got.
  private static func stage(_ outcome: EmergencyActivation.Outcome, _ context: Context) -> DeliveryStage {
    if isDrillLeftOut(outcome, context) { return (try? outcome.store?.status())?.stage ?? .saved }
    let progress = try? outcome.store?.pressProgress(outcome.activation.press)
    return outcome.activation.isSpooled || progress?.acceptedAt == nil ? .saved : .accepted
  }
}
