import DeviceCore
import LocalStore
import Model

/// `alert activate`: saves the alert, says so at once, and only then sends it.
enum ActivateCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let accessories = ActivationAccessories(context.invocation)
    let draft = AlertDraft(
      message: accessories.message, location: accessories.location, isDrill: context.invocation.has("drill"),
      utcOffsetMinutes: DeviceClock.utcOffsetMinutes(at: context.moment.wall))
    let home = try context.home()
    var store: LocalStore?
    if !context.invocation.has("yes") {
      // Asked also if the store cannot be opened: the spool may still take the alert.
      store = try? LocalStore.open(home, at: context.moment)
      if !isActiveAlready(draft, store), try !isConfirmed(draft, context) {
        context.console.note(AlertTexts.leftUnraised)
        return .stopped
      }
    }
    // Read after the prompt: the alert starts now, not when the command did.
    let moment = context.invocation.has("yes") ? context.moment : DeviceClock.now()
    return try raise(draft, accessories.warnings, home, store, at: moment, context)
  }

  /// Raises an alert, or calls again in the one that is active, and follows it.
  ///
  /// - Parameter store: if it is open already.
  static func raise(
    _ draft: AlertDraft, _ warnings: [String], _ home: HomeDirectory, _ store: LocalStore? = nil, at moment: Moment,
    _ context: Context
  ) throws(Failure) -> ExitStatus {
    let outcome: EmergencyActivation.Outcome
    do throws(EmergencyActivation.NotSaved) {
      outcome = try EmergencyActivation.perform(draft, home: home, store: store, at: moment)
    } catch {
      guard let unsaved = UnsavedAlert(home, context) else { throw Failure(error, isDrill: draft.isDrill) }
      return try unsaved.raise(draft, at: moment, warnings: warnings, because: error)
    }
    let continuation = continuation(of: outcome, context)
    let nobody = tell(outcome, warnings, context)
    follow(outcome, draft, home, nobody, continuation, context)
    return .done
  }

  /// Started before anything is said: a terminal that stands still must not keep the alert from being sent. Nil where nothing can be
  /// sent, and for what is not in the store, which this command sends first.
  private static func continuation(of outcome: EmergencyActivation.Outcome, _ context: Context) -> Continuation? {
    guard let store = outcome.store, !outcome.activation.isSpooled, !context.invocation.has("no-sync"),
      case .possible = SendingOutlook.of(store)
    else { return nil }
    return Continuation(store.home, context)
  }

  /// Sends what was saved, tells the battery level, and looks for the place of a person who gave none.
  ///
  /// - Parameter nobody: said before.
  private static func follow(
    _ outcome: EmergencyActivation.Outcome, _ draft: AlertDraft, _ home: HomeDirectory, _ nobody: NobodyIsTold?,
    _ continuation: Continuation?, _ context: Context
  ) {
    let activation = outcome.activation
    if activation.isSpooled, sendSpooled(outcome, draft, home, nobody, context) {
      // It stays in touch with the server while the alert is active.
      _ = Continuation(home, context)
      return
    }
    let isSending = !context.invocation.has("no-sync")
    guard let store = outcome.store else { return isSending ? tellContinuation(home, context) : () }
    var search: PlaceSearch?
    if DeviceNews.isDue(after: activation, isDrill: draft.isDrill) {
      let source = draft.location == nil ? PlaceSource.chosen(context, home) : nil
      search = (isSending ? PlaceSearch.start : PlaceSearch.run)(activation.press, store, source)
    }
    if isSending {
      if !isDrillLeftOut(outcome, context) {
        DeliveryFollower.follow(
          store, alert: activation.alert, press: activation.press, notice: .activated, search: search,
          continuation: continuation, nobodySaid: nobody, context)
      } else if let call = try? store.unsentCall() {
        DeliveryFollower.follow(
          store, alert: call.alert, press: call.press, notice: .activated, continuation: continuation,
          nobodySaid: nobody, context)
      }
    }
    search?.wait()
    if let line = search?.takeLine(context.console) { context.console.say(line) }
  }

  /// Says whether a process in the background sends what is in a file of its own.
  private static func tellContinuation(_ home: HomeDirectory, _ context: Context) {
    let continuation = Continuation(home, context)
    if continuation.isReady {
      context.console.say(DeliveryTexts.carriedOn)
    } else {
      context.console.say(continuation.failure.map(DeliveryTexts.notCarriedOn) ?? DeliveryTexts.nothingSendsIt)
    }
  }

  /// Whether a real alert is active, to which a drill adds nothing.
  private static func isDrillLeftOut(_ outcome: EmergencyActivation.Outcome, _ context: Context) -> Bool {
    context.invocation.has("drill") && !outcome.activation.alert.isDrill
  }

  /// Whether nothing can be raised by accident, so that nothing needs to be asked.
  private static func isActiveAlready(_ draft: AlertDraft, _ store: LocalStore?) -> Bool {
    guard let alert = try? store?.status().alert, alert.isActive else { return false }
    return draft.isDrill || !alert.isDrill
  }

  /// Asks for the four presses.
  private static func isConfirmed(_ draft: AlertDraft, _ context: Context) throws(Failure) -> Bool {
    guard context.console.isInteractive else {
      throw Failure(.usage, "confirmation_needed", AlertTexts.raisingNeedsTerminal)
    }
    let prompt = ActivationPrompt(
      console: context.console, isDrill: draft.isDrill, clock: DeviceClock.monotonicMilliseconds)
    return prompt.ask() == .raise
  }

  /// Sends from memory what the store cannot send before it works again: the alert in the spool, or a call that had no room there.
  /// True if the server has it.
  private static func sendSpooled(
    _ outcome: EmergencyActivation.Outcome, _ draft: AlertDraft, _ home: HomeDirectory, _ nobody: NobodyIsTold?,
    _ context: Context
  ) -> Bool {
    let reason = outcome.storeError?.message ?? AlertTexts.cannotBeSaved
    guard let unsaved = UnsavedAlert(home, context) else { return false }
    guard outcome.activation.isCallSaved else {
      return unsaved.callAgain(draft, at: DeviceClock.now(), because: reason, nobodySaid: nobody)
    }
    return unsaved.sendSpooled(
      outcome.activation.press, isDrill: outcome.activation.alert.isDrill, because: reason, nobodySaid: nobody)
  }

  /// Returns why nobody is told, if that was said.
  private static func tell(
    _ outcome: EmergencyActivation.Outcome, _ warnings: [String], _ context: Context
  ) -> NobodyIsTold? {
    let activation = outcome.activation
    // Read after the alert was saved, so that it delays nothing.
    let report = report(outcome, context)
    let (stage, nobody, readiness) = (report.stage, report.nobodyIsTold, report.readiness)
    let isDrill = activation.alert.isDrill
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(activation.alert, to: &json)
      json.member("already_active", activation.alreadyActive)
      if isDrillLeftOut(outcome, context) { json.member("drill_raised", false) }
      json.member("stage", stage.rawValue)
      json.member("nobody_is_told", isDrill ? nil : nobody?.rawValue)
      if let readiness { ReadinessJSON.write(readiness, to: &json) }
      if activation.isSpooled { json.member("spooled", true) }
      if !warnings.isEmpty {
        json.key("warnings")
        json.array { for warning in warnings { $0.string(warning) } }
      }
    }
    if let nobody {
      context.console.say(DeliveryTexts.nobody(nobody, isDrill: isDrill, context.console))
    } else if !isDrillLeftOut(outcome, context), let readiness,
      let doubt = ReadinessTexts.doubt(readiness, isDrill: isDrill, context.console)
    {
      context.console.say(doubt)
    }
    context.console.say(headline(activation, stage, context))
    for warning in warnings { context.console.note(AlertTexts.warning(warning)) }
    if activation.isSpooled {
      context.console.note(
        AlertTexts.savedOutside(outcome.storeError.map { Sentences.capitalized(Sentences.closed($0.message)) }))
    }
    if let store = outcome.store { tellWhatIsNext(store, stage, context) }
    return nobody
  }

  private static func headline(_ activation: Activation, _ stage: DeliveryStage, _ context: Context) -> String {
    let console = context.console
    let started = context.time.text(activation.alert.startedAt)
    let isDrill = activation.alert.isDrill
    guard activation.alreadyActive else { return AlertTexts.saved(isDrill: isDrill, at: started, console) }
    let active = AlertTexts.alreadyActive(isDrill: isDrill, since: started, console)
    if context.invocation.has("drill"), !isDrill {
      return AlertTexts.noDrill(active, isReceived: stage == .accepted, console)
    }
    if stage == .accepted { return active + " " + AlertTexts.serverHasIt }
    guard activation.isCallSaved else { return active + "\n" + AlertTexts.callNotSaved(console) }
    return active + "\n" + AlertTexts.callSaved(console)
  }

  private static func tellWhatIsNext(_ store: LocalStore, _ stage: DeliveryStage, _ context: Context) {
    context.tellReport(of: store)
    guard !context.console.isJSON, stage == .saved else { return }
    switch SendingOutlook.of(store) {
    case .notSignedIn:
      context.console.say(AlertTexts.unsent(notSignedIn: context.console))
    case .noServer:
      context.console.say(AlertTexts.unsent(noServer: context.console))
    case .possible where context.invocation.has("no-sync"):
      context.console.say(AlertTexts.unsentAsAsked)
    case .possible:
      context.console.say(AlertTexts.sending)
    }
  }

  /// How far this call got, and whom it may reach. If a drill was left out, how far the real calls got.
  private static func report(_ outcome: EmergencyActivation.Outcome, _ context: Context) -> PressReport {
    let isLeftOut = isDrillLeftOut(outcome, context)
    guard isLeftOut || outcome.activation.isSpooled else {
      return (try? outcome.store?.pressReport(of: outcome.activation))
        ?? PressReport(stage: .saved, nobodyIsTold: nil, readiness: nil)
    }
    let status = try? outcome.store?.status()
    return PressReport(
      stage: isLeftOut ? status?.stage ?? .saved : .saved, nobodyIsTold: status?.nobodyIsTold,
      readiness: try? outcome.store?.readiness())
  }
}
