import DeviceCore
import LocalStore
import Model
import Wire

/// Raising and ending an alert where this device cannot save: it is sent from memory, and what the server said is shown. The exit
/// status still says that nothing is durable here.
struct UnsavedAlert {
  private let memory: EmergencyFromMemory
  private let context: Context

  /// nil where nothing may be sent, or nothing can be.
  init?(_ home: HomeDirectory, _ context: Context) {
    guard !context.invocation.has("no-sync"),
      let memory = EmergencyFromMemory(home)
    else { return nil }
    self.memory = memory
    self.context = context
  }

  /// Raises an alert that neither the store nor the spool took.
  func raise(
    _ draft: AlertDraft, at moment: Moment, warnings: [String], because fault: EmergencyActivation.NotSaved
  ) throws(Failure) -> ExitStatus {
    context.console.note("NOT saved on this device yet. Calling for help without it.")
    let raised = memory.raise(draft, at: moment)
    guard case .accepted(let time) = raised.answer else { throw failure(raised, Failure(fault)) }
    let nobody = draft.isDrill ? nil : memory.access.nobodyIsTold
    tell(raised.alert, time) {
      $0.member("already_active", raised.wasRaisedBefore)
      $0.member("nobody_is_told", nobody?.rawValue)
    }
    if let nobody { context.console.say(NobodyText.line(nobody, context.console)) }
    let what = draft.isDrill ? "DRILL SENT. The server received it" : "SENT. The server received your call for help"
    context.console.say(context.console.styled(.good, "\(what) at \(context.time.text(time))."))
    if nobody == nil { context.console.say("It tells your responders now.") }
    for warning in warnings { context.console.note("WARNING: \(warning)") }
    context.console.note(
      "The alert is NOT saved on this device. \(fault.reason)\nThis device cannot show who answers. "
        + (raised.isNoted
          ? "When you are safe: lifesignal alert deactivate"
          : "Nor can it end the alert: when you are safe, end it on another device, or tell your responders yourself."))
    return .notSaved
  }

  /// Sends what lies outside of the store, and tells what the server has of it now.
  func sendUnsent() -> EmergencyFromMemory.FallbackOutcome {
    let fallback = memory.sendUnsent(at: DeviceClock.now())
    if fallback.sentCount > 0 {
      context.console.say(context.console.styled(.good, UnsentText.sent(fallback.sentCount)))
    }
    return fallback
  }

  /// Sends a call for which there was no room, in the alert that waits in the spool. True where the server has it, and that was told.
  func callAgain(_ draft: AlertDraft, at moment: Moment, because reason: String) -> Bool {
    tellReceived(memory.raise(draft, at: moment).answer, .activated, because: reason)
  }

  /// Of an end that lies in memory.
  private static let keptEnd =
    " The end is kept in memory. To send it: lifesignal alert deactivate"

  /// The alerts that `end` ends, and whether it did so before, unheard.
  var active: [(alert: Alert, isEnded: Bool)] {
    memory.active(at: DeviceClock.now()).map { ($0.alert, $0.unsavedEnd != nil) }
  }

  /// Ends every alert that is known to be active.
  func end(because fault: Failure) throws(Failure) -> ExitStatus {
    let moment = DeviceClock.now()
    let messages = memory.active(at: moment)
    guard let first = messages.first(where: { !$0.alert.isDrill }) ?? messages.first else { throw fault }
    let isDrill = first.alert.isDrill
    let ended = memory.end(messages, at: moment)
    switch ended.answer {
    case .accepted(let time):
      var alert = first.alert
      alert.end(at: moment.wall)
      tell(alert, time) { $0.member("ended", messages.count) }
      let what = isDrill ? "DRILL ENDED. The server received its end" : "ENDED. The server received that you are safe,"
      context.console.say(
        context.console.styled(.good, "\(what) at \(context.time.text(time)).") + "\nIt tells your responders now.")
      context.console.note(
        "On this device the end is \(fault.message)\nIt may show the alert as active until it can save again.")
      return .notSaved
    case let answer:
      throw Failure(
        fault.status, fault.code,
        "Your responders do NOT know that \(isDrill ? "the drill is over" : "you are safe"). Tell them another way. "
          + "The server did not take it: \(Self.reason(answer)) On this device too the end is "
          + SyncText.sentence(fault.message) + (ended.isNoted ? Self.keptEnd : ""))
    }
  }

  /// Sends alerts of which this device's store cannot keep the answer. True where the server has them all.
  func sendQueued(_ messages: [EmergencyMessage], _ notice: Notice, at moment: Moment, because reason: String) -> Bool {
    var answer = EmergencyFromMemory.Answer.notReached("nothing is queued")
    for message in messages {
      answer = memory.sendQueued(message, at: moment)
      guard case .accepted = answer else { return false }
    }
    return tellReceived(answer, notice, because: reason)
  }

  /// Sends a call that lies in the spool, from where the store cannot send it. True where the server has it.
  func sendSpooled(_ press: AlertID, because reason: String) -> Bool {
    tellReceived(memory.sendSpooled(press, at: DeviceClock.now()), .activated, because: reason)
  }

  private func tellReceived(_ answer: EmergencyFromMemory.Answer, _ notice: Notice, because reason: String) -> Bool {
    guard case .accepted(let time) = answer else { return false }
    if notice == .activated, let nobody = memory.access.nobodyIsTold {
      context.console.say(NobodyText.line(nobody, context.console))
    }
    context.console.say(
      context.console.styled(.good, "RECEIVED") + " by the server at \(context.time.text(time)).")
    context.console.note("This device cannot save what the server answers, and may show it as not sent: \(reason)")
    return true
  }

  private func tell(_ alert: Alert, _ time: Timestamp, _ member: (inout JSONWriter) -> Void) {
    context.console.json { json in
      json.key("alert")
      AlertJSON.write(alert, to: &json)
      member(&json)
      json.member("stage", DeliveryStage.accepted.rawValue)
      json.member("accepted_at", time.description)
      json.member("saved", false)
    }
  }

  private func failure(_ raised: EmergencyFromMemory.Raised, _ fault: Failure) -> Failure {
    var words = "\(fault.message) Nor could it be sent: \(Self.reason(raised.answer))"
    if raised.isNoted {
      words +=
        " It is kept in memory. To send it: lifesignal sync   Not wanted: lifesignal alert deactivate"
    }
    return Failure(fault.status, fault.code, words)
  }

  /// Why the server does not have it, as a sentence.
  fileprivate static func reason(_ answer: EmergencyFromMemory.Answer) -> String {
    switch answer {
    case .refused(let reason), .notSignedIn(let reason), .notReached(let reason): SyncText.sentence(reason)
    case .accepted: ""
    }
  }
}

extension EmergencyFromMemory.FallbackOutcome {
  /// What the server has not heard, and why; nil where it has heard all.
  var complaint: String? {
    guard leftCount > 0 else { return nil }
    return ([UnsentText.left(leftCount)] + [obstacle.map(UnsavedAlert.reason)].compactMap(\.self)).joined(
      separator: " ")
  }
}

extension Failure {
  /// Of an alert that is neither saved nor sent.
  init(_ fault: EmergencyActivation.NotSaved) {
    self.init(
      .notSaved, Failure(fault.storeError).code,
      "The alert is NOT saved. Call for help another way now. \(fault.reason)")
  }
}

extension EmergencyActivation.NotSaved {
  /// What stands in the way, in sentences.
  fileprivate var reason: String {
    let spool = spoolError.map { " Nor can the spool: \($0.message)." } ?? ""
    return "The store cannot take it: \(storeError.message).\(spool)"
  }
}
