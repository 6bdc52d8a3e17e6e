import DeviceCore
import LocalStore
import Model

/// `alert activate`: durable first, said at once, and only then sent.
enum ActivateCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let draft = try draft(context)
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
    do throws(Failure) {
      outcome = try raise(draft, home, store, moment)
    } catch {
      guard let unsaved = UnsavedAlert(home, context) else { throw error }
      return try unsaved.raise(draft, at: moment, because: error)
    }
    tell(outcome, context)
    if outcome.activation.isSpooled, sendSpooled(outcome, home, context) { return .done }
    guard let store = outcome.store, !context.invocation.has("no-sync") else { return .done }
    DeliveryFollower.follow(store, alert: outcome.activation.alert, notice: .activated, context)
    return .done
  }

  private static func draft(_ context: Context) throws(Failure) -> AlertDraft {
    let invocation = context.invocation
    let message = try Context.checked { () throws(InvalidInput) in
      try AlertMessage.validated(invocation.value("message"))
    }
    let location = try Context.checked { () throws(InvalidInput) in
      if let text = invocation.value("location") { return try AlertInput.location(text) as Location? }
      return nil
    }
    return AlertDraft(
      message: message, location: location, isDrill: invocation.has("drill"),
      utcOffsetMinutes: LocalTime.offsetMinutes(at: context.moment.wall))
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

  private static func raise(
    _ draft: AlertDraft, _ home: HomeDirectory, _ store: LocalStore?, _ moment: Moment
  ) throws(Failure) -> EmergencyActivation.Outcome {
    do throws(EmergencyActivation.NotSaved) {
      return try EmergencyActivation.perform(draft, home: home, store: store, at: moment)
    } catch {
      let spool = error.spoolError.map { " Nor can the spool: \($0.message)." } ?? ""
      throw Failure(
        .notSaved, Failure(error.storeError).code,
        "The alert is NOT saved. Call for help another way now. The store cannot take it: "
          + "\(error.storeError.message).\(spool)")
    }
  }

  /// The store cannot send what waits in the spool before it works again.
  private static func sendSpooled(
    _ outcome: EmergencyActivation.Outcome, _ home: HomeDirectory, _ context: Context
  ) -> Bool {
    guard let message = EmergencyMessage.spooled(outcome.activation.alert.id, home) else { return false }
    let reason = outcome.storeError?.message ?? "the store cannot be written"
    return UnsavedAlert(home, context)?.sendSaved(message, .activated, because: reason) ?? false
  }

  private static func tell(_ outcome: EmergencyActivation.Outcome, _ context: Context) {
    let activation = outcome.activation
    let alert = activation.alert
    let way = way(outcome)
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(alert, to: &json)
      json.member("already_active", activation.alreadyActive)
      json.member("stage", way.stage.rawValue)
      if activation.isSpooled { json.member("spooled", true) }
    }
    context.console.say(headline(activation, way, context))
    if activation.isSpooled {
      let reason = outcome.storeError.map { ": \($0.message)" } ?? ""
      context.console.note(
        "NOT SENT YET. The store could not take it\(reason). The alert waits in a file of its own, and is sent as soon as the store "
          + "works again. See: lifesignal doctor")
    }
    if let store = outcome.store { tellWhatIsNext(store, way.stage, context) }
  }

  private static func headline(_ activation: Activation, _ way: Way, _ context: Context) -> String {
    let console = context.console
    let started = context.time.text(activation.alert.startedAt)
    let drill = activation.alert.isDrill ? "DRILL " : ""
    if activation.alreadyActive {
      let acceptance =
        way.stage == .saved
        ? console.styled(.warning, "The server has NOT received it yet.")
        : "The server received it" + (way.acceptedAt.map { " at \(context.time.text($0))." } ?? ".")
      return console.styled(.bad, "\(drill)ALREADY ACTIVE") + " since \(started). It stays as it is.\n" + acceptance
    }
    return console.styled(.good, "\(drill)SAVED") + " on this device at \(started)."
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

  /// How far an alert got, as far as it is known for sure.
  private struct Way {
    var stage = DeliveryStage.saved
    var acceptedAt: Timestamp?
  }

  private static func way(_ outcome: EmergencyActivation.Outcome) -> Way {
    guard outcome.activation.alreadyActive, let status = try? outcome.store?.status(),
      status.alert?.id == outcome.activation.alert.id
    else { return Way() }
    return Way(stage: status.stage, acceptedAt: status.acceptedAt)
  }
}
