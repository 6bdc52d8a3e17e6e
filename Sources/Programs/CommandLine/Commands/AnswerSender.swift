import DeviceCore
import LocalStore
import Model
import Wire

/// Sends an answer that was just saved, for a limited time, and says how far it gets. Whatever happens here, it stays saved.
struct AnswerSender {
  let store: LocalStore
  /// The alert, with the answer that waits.
  let saved: InboxEntry
  let context: Context

  func run() -> ExitStatus {
    let exchange = InboxExchange(store: store, context: context)
    guard !context.invocation.has("no-sync") else {
      context.console.say(InboxTexts.waits(InboxTexts.asAsked, context.console))
      return .done
    }
    if let obstacle = exchange.obstacle {
      context.console.say(InboxTexts.waits(obstacle, context.console))
      return .unreachable
    }
    // First, so that it goes on whatever ends this process.
    let continuation = Continuation(store.home, context)
    Interruption.leaveQuietly(isCarriedOn: continuation.isStarted)
    let failure = exchange.run()
    let reading = Result { () throws(LocalStoreError) in try store.inboxEntry(saved.id) }
    guard let answer = saved.waiting else { return .done }
    let outcome = AnswerOutcome(of: answer, reading)
    tellJSON(outcome, reading)
    return conclude(outcome, failure, continuation)
  }

  private func tellJSON(_ outcome: AnswerOutcome, _ reading: Result<InboxEntry?, LocalStoreError>) {
    guard case .success(let known) = reading else { return }
    var entry = known ?? saved
    if known == nil, case .refused(let reason) = outcome {
      entry.waiting = nil
      entry.refusal = reason
    }
    context.console.json { json in
      json.member("stage", outcome.stage)
      InboxJSON.writeMembers(entry, to: &json)
    }
  }

  private func conclude(_ outcome: AnswerOutcome, _ failure: String?, _ continuation: Continuation) -> ExitStatus {
    let console = context.console
    switch outcome {
    case .taken:
      console.say(InboxTexts.taken(saved.alert.person.printable, console))
      return .done
    case .refused(let reason):
      console.say(InboxTexts.notTaken(reason.printable, console))
      return .refused
    case .unknown:
      console.say(InboxTexts.notKnownToBeSent(console))
      return .unreachable
    case .waiting:
      let reason = failure.map { Sentences.capitalized(Sentences.closed($0.printable)) + "\n" } ?? ""
      console.say(InboxTexts.waits(reason + next(continuation), console))
      return .unreachable
    }
  }

  private func next(_ continuation: Continuation) -> String {
    if continuation.isReady { return InboxTexts.carriedOn }
    if (try? SenderHealth.examine(store.home)) == .moving { return InboxTexts.workerTries }
    return continuation.failure.map { "\($0)\n" + Advice.sync } ?? InboxTexts.nothingSends
  }
}
