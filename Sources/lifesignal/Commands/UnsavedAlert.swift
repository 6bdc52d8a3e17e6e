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
    _ draft: AlertDraft, at moment: Moment, because fault: EmergencyActivation.NotSaved
  ) throws(Failure) -> ExitStatus {
    context.console.note("NOT saved on this device yet. Calling for help without it.")
    let (alert, wasRaisedBefore, answer) = memory.raise(draft, at: moment)
    guard case .accepted(let time) = answer else { throw Self.failure(answer, Failure(fault)) }
    tell(alert, time) { $0.member("already_active", wasRaisedBefore) }
    let drill = alert.isDrill ? "DRILL " : ""
    let received = "\(drill)SENT. The server received your call for help at \(context.time.text(time))."
    context.console.say(context.console.styled(.good, received))
    context.console.say(
      memory.access.hasResponders
        ? "It tells your responders now."
        : context.console.styled(.bad, "NOBODY IS TOLD: you have no responders. Call for help another way now."))
    context.console.note(
      "The alert is NOT saved on this device. \(fault.reason)\nThis device cannot show who answers. When you are safe: "
        + "lifesignal alert deactivate")
    return .notSaved
  }

  /// The alert that `end` ends first; nil where none is known to be active.
  var active: Alert? { memory.active.first?.alert }

  /// Ends every alert that is known to be active.
  func end(because fault: Failure) throws(Failure) -> ExitStatus {
    let messages = memory.active
    guard let last = messages.last else { throw fault }
    let moment = DeviceClock.now()
    switch memory.end(messages, at: moment) {
    case .accepted(let time):
      tell(last.ended(at: moment, random: StoreOptions.live.random).alert, time) { $0.member("ended", messages.count) }
      context.console.say(
        context.console.styled(.good, "ENDED. The server received at \(context.time.text(time)) that you are safe.")
          + "\nIt tells your responders now.")
      context.console.note(
        "On this device the end is \(fault.message)\nIt may show the alert as active until it can save again."
      )
      return .notSaved
    case let answer:
      throw Failure(
        fault.status, fault.code,
        "Your responders do NOT know that you are safe. Tell them another way. The server was not told: "
          + "\(Self.reason(answer)) On this device too the end is \(fault.message)")
    }
  }

  /// Sends an alert that is saved here and that this device's store cannot send, or of which it cannot keep the answer. True where
  /// the server has it.
  func sendSaved(_ message: EmergencyMessage, _ notice: Notice, because reason: String) -> Bool {
    guard case .accepted(let time) = memory.send(message) else { return false }
    context.console.say(
      context.console.styled(.good, "RECEIVED") + " by the server at \(context.time.text(time))."
        + (notice == .activated && !memory.access.hasResponders
          ? "\n"
            + context.console.styled(.bad, "NOBODY IS TOLD: you have no responders. Call for help another way now.")
          : ""))
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

  private static func failure(_ answer: EmergencyFromMemory.Answer, _ fault: Failure) -> Failure {
    Failure(fault.status, fault.code, "\(fault.message) Nor could it be sent: \(reason(answer))")
  }

  /// Why the server does not have it, as a sentence.
  private static func reason(_ answer: EmergencyFromMemory.Answer) -> String {
    switch answer {
    case .refused(let reason), .notReached(let reason): SyncText.sentence(reason)
    case .over: "It was ended on another device."
    case .accepted: ""
    }
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
