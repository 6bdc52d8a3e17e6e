import DeviceCore
import LocalStore
import Model
import Wire

/// Raises and ends an alert that this device cannot save: sends it from memory and shows the server's answer. The exit status still
/// says that nothing is durable here.
struct UnsavedAlert {
  private let home: HomeDirectory
  private let memory: EmergencyFromMemory
  private let context: Context

  /// Nil if nothing may be sent, or nothing can be.
  init?(_ home: HomeDirectory, _ context: Context) {
    guard !context.invocation.has("no-sync"),
      let memory = EmergencyFromMemory(home)
    else { return nil }
    self.home = home
    self.memory = memory
    self.context = context
  }

  /// Raises an alert that neither the store nor the spool took.
  func raise(
    _ draft: AlertDraft, at moment: Moment, warnings: [String], because fault: EmergencyActivation.NotSaved
  ) throws(Failure) -> ExitStatus {
    context.console.note(AlertTexts.sendingUnsaved(isDrill: draft.isDrill))
    var continuation: Continuation?
    // A command that is killed while it sends leaves the call in memory.
    let raised = memory.raise(draft, at: moment) { continuation = continuation ?? Continuation(home, context) }
    guard case .accepted(let time) = raised.answer else {
      throw failure(raised, Failure(fault, isDrill: draft.isDrill), continuation)
    }
    let nobody = memory.access.nobodyIsTold
    let isDrill = raised.alert.isDrill
    tell(raised.alert, time) {
      $0.member("already_active", raised.wasRaisedBefore)
      $0.member("nobody_is_told", isDrill ? nil : nobody?.rawValue)
    }
    if let nobody { context.console.say(DeliveryTexts.nobody(nobody, isDrill: isDrill, context.console)) }
    context.console.say(
      AlertTexts.sentFromMemory(isDrill: draft.isDrill, at: context.time.text(time), context.console))
    if nobody == nil { context.console.say(AlertTexts.tellsResponders) }
    for warning in warnings { context.console.note(AlertTexts.warning(warning)) }
    context.console.note(AlertTexts.sentNotSaved(fault.reason, canEnd: raised.isNoted))
    return .notSaved
  }

  /// Sends what is saved outside the store, and says what the server has received.
  func sendUnsent() -> EmergencyFromMemory.FallbackOutcome {
    let fallback = memory.sendUnsent(at: DeviceClock.now())
    if fallback.sentCount > 0 {
      context.console.say(context.console.styled(.good, SyncTexts.sentOutside(fallback.sentCount)))
    }
    return fallback
  }

  /// Sends a call that had no room, as part of the alert in the spool. True if the server has it; that is then said.
  func callAgain(
    _ draft: AlertDraft, at moment: Moment, because reason: String, nobodySaid: NobodyIsTold?
  ) -> Bool {
    let raised = memory.raise(draft, at: moment)
    return tellReceived(
      raised.answer, .activated, isDrill: raised.alert.isDrill, because: reason, nobodySaid: nobodySaid)
  }

  /// Every alert that is known to be active, or whose earlier end is still unsent.
  func active() -> [EmergencyMessage] { memory.active(at: DeviceClock.now()) }

  /// Ends these, as they were read.
  func end(_ messages: [EmergencyMessage], because fault: Failure) throws(Failure) -> ExitStatus {
    let moment = DeviceClock.now()
    guard let first = messages.first(where: { !$0.alert.isDrill }) ?? messages.first else { throw fault }
    let isDrill = first.alert.isDrill
    var continuation: Continuation?
    let ended = memory.end(messages, at: moment) { continuation = continuation ?? Continuation(home, context) }
    switch ended.answer {
    case .accepted(let time):
      var alert = first.alert
      alert.end(at: moment.wall)
      tell(alert, time) { $0.member("ended", messages.count) }
      context.console.say(
        AlertTexts.endSentFromMemory(isDrill: isDrill, at: context.time.text(time), context.console))
      context.console.note(AlertTexts.endSentNotSaved(fault.message))
      return .notSaved
    case let answer:
      throw Failure(
        fault.status, fault.code,
        AlertTexts.endNotSent(
          isDrill: isDrill, Self.reason(answer), Sentences.closed(fault.message), isUnknown: answer.isUnconfirmed)
          + (ended.isNoted ? AlertTexts.endInMemory(isCarriedOn: continuation?.isReady == true) : ""))
    }
  }

  /// Sends alerts whose answer this device's store cannot save. True if the server has them all.
  /// - Parameter nobodySaid: why nobody is told, as it was said before.
  func sendQueued(
    _ messages: [EmergencyMessage], _ notice: Notice, at moment: Moment, because reason: String,
    nobodySaid: NobodyIsTold?
  ) -> Bool {
    var answer = EmergencyFromMemory.Answer.notReached(AlertTexts.nothingQueued)
    for message in messages {
      answer = memory.sendQueued(message, at: moment)
      guard case .accepted = answer else { return false }
    }
    return tellReceived(
      answer, notice, isDrill: messages.allSatisfy(\.alert.isDrill), because: reason, nobodySaid: nobodySaid)
  }

  /// Sends a call that is in the spool, which the store cannot send. True if the server has it.
  func sendSpooled(_ press: AlertID, isDrill: Bool, because reason: String, nobodySaid: NobodyIsTold?) -> Bool {
    let answer = memory.sendSpooled(press, at: DeviceClock.now())
    return tellReceived(answer, .activated, isDrill: isDrill, because: reason, nobodySaid: nobodySaid)
  }

  /// - Parameter nobodySaid: why nobody is told, as it was said before.
  private func tellReceived(
    _ answer: EmergencyFromMemory.Answer, _ notice: Notice, isDrill: Bool, because reason: String,
    nobodySaid: NobodyIsTold?
  ) -> Bool {
    guard case .accepted(let time) = answer else { return false }
    if notice == .activated, let nobody = memory.access.nobodyIsTold, nobody != nobodySaid {
      context.console.say(DeliveryTexts.nobody(nobody, isDrill: isDrill, context.console))
    }
    context.console.say(DeliveryTexts.received(at: context.time.text(time), context.console))
    context.console.note(DeliveryTexts.answerNotSaved(Sentences.closed(reason)))
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

  private func failure(
    _ raised: EmergencyFromMemory.Raised, _ fault: Failure, _ continuation: Continuation?
  ) -> Failure {
    Failure(
      fault.status, fault.code,
      fault.message
        + AlertTexts.notSentEither(Self.reason(raised.answer), isUnknown: raised.answer.isUnconfirmed)
        + (raised.isNoted ? AlertTexts.callInMemory(isCarriedOn: continuation?.isReady == true) : ""))
  }

  /// Why the server does not have it, as a sentence.
  fileprivate static func reason(_ answer: EmergencyFromMemory.Answer) -> String {
    switch answer {
    case .refused(let reason), .notSignedIn(let reason), .notReached(let reason), .unconfirmed(let reason):
      Sentences.closed(reason)
    case .accepted: ""
    }
  }
}

extension EmergencyFromMemory.FallbackOutcome {
  /// What the server has not received, and why; nil if it has everything.
  var complaint: String? {
    guard leftCount > 0 else { return nil }
    return ([SyncTexts.unsentOutside(leftCount)] + [obstacle.map(UnsavedAlert.reason)].compactMap(\.self)).joined(
      separator: "\n")
  }
}

extension Failure {
  /// Of an alert that is neither saved nor sent.
  init(_ fault: EmergencyActivation.NotSaved, isDrill: Bool) {
    self.init(.notSaved, Failure(fault.storeError).code, AlertTexts.notSaved(isDrill: isDrill, fault.reason))
  }
}

extension EmergencyActivation.NotSaved {
  /// Why it cannot be saved, as a sentence.
  fileprivate var reason: String {
    let reasons = [storeError.message, spoolError?.message].compactMap(\.self)
    let isSame = reasons.count == 2 && reasons[0] == reasons[1]
    return Sentences.closed((isSame ? [reasons[0]] : reasons).joined(separator: "; "))
  }
}
