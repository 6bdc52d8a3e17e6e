import DeviceCore
import LocalStore
import Model
import Wire

/// `queue list`, `retry`, `discard` and `export`: what waits for the server, and what the server refused.
enum QueueCommands {
  static func list(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    let items = try context.attempt { () throws(LocalStoreError) in try store.queue() }
    let count = try context.attempt { () throws(LocalStoreError) in try store.status().sync.unsentOutside }
    if count > 0 { context.console.note(UnsentText.left(count) + " " + Advice.sync) }
    if items.isEmpty, count == 0 { context.console.say("Nothing is queued.") }
    for item in items {
      context.console.json { writeMembers(of: item, withBody: false, to: &$0) }
      for line in lines(item, context) { context.console.say(line) }
    }
    return .done
  }

  static func retry(_ context: Context) throws(Failure) -> ExitStatus {
    let id = try identifier(context)
    let store = try context.openStore()
    let item = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.retry(id, at: context.moment)
    }
    context.console.json { writeMembers(of: item, withBody: false, to: &$0) }
    let isWorkerRunning = (try? SenderLease.isHeld(store.home)) ?? false
    context.console.say(
      "Queued again as \(item.id). " + (isWorkerRunning ? "Sending it now." : "To send it now: lifesignal sync"))
    return .done
  }

  static func discard(_ context: Context) throws(Failure) -> ExitStatus {
    let id = try identifier(context)
    let store = try context.openStore()
    guard try isDiscardConfirmed(id, store, context) else {
      context.console.note("Nothing was discarded. It still waits to be sent.")
      return .stopped
    }
    let items = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.discard(id, at: context.moment)
    }
    for item in items {
      context.console.json { writeMembers(of: item, withBody: false, to: &$0) }
      context.console.say("Discarded \(item.kind) \(item.id). It will not be sent.")
    }
    return .done
  }

  /// Asks on a terminal; without one, whoever wrote the script has decided.
  private static func isDiscardConfirmed(
    _ id: String, _ store: LocalStore, _ context: Context
  ) throws(Failure) -> Bool {
    guard context.console.isInteractive, !context.invocation.has("yes") else { return true }
    let items = try context.attempt { () throws(LocalStoreError) in try store.queue() }
    // One that is not there is told of by `discard`.
    guard let item = items.first(where: { $0.id == id }) else { return true }
    let loss =
      switch item.kind {
      case Mutation.Kind.activateAlert.rawValue, Mutation.Kind.updateAlert.rawValue:
        context.console.styled(.bad, "THIS IS A CALL FOR HELP") + " of \(context.time.text(item.createdAt)). "
          + "Your responders would never hear of it from this device."
      case Mutation.Kind.deactivateAlert.rawValue:
        "Your responders would not hear from this device that you are safe."
      default: "\(item.kind) of \(context.time.text(item.createdAt)) would never be sent."
      }
    return Confirmation.ask(loss, toProceed: "give it up", word: "discard", context)
  }

  /// One JSON object a line whatever the options: it is for keeping.
  static func export(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    for item in try context.attempt({ () throws(LocalStoreError) in try store.queue() }) {
      context.console.jsonLine { writeMembers(of: item, withBody: true, to: &$0) }
    }
    return .done
  }

  private static func identifier(_ context: Context) throws(Failure) -> String {
    guard let id = MutationID(context.invocation.argument(0) ?? "") else {
      throw Failure(.badData, "invalid_id", "an item's ID is a UUID, as “lifesignal queue list” shows it")
    }
    return id.description
  }

  private static func lines(_ item: QueueItem, _ context: Context) -> [String] {
    var lines = ["\(item.id)  \(item.kind)  \(context.time.text(item.createdAt))  \(state(item, context))"]
    if let parked = item.parked {
      lines.append("    refused: \(parked.message.printable) (\(parked.code.printable))")
      lines.append("    lifesignal queue retry \(item.id)   or   lifesignal queue discard \(item.id)")
    } else if let error = item.lastError {
      lines.append("    last try: \(error.printable)")
    }
    return lines
  }

  private static func state(_ item: QueueItem, _ context: Context) -> String {
    if item.parked != nil { return context.console.styled(.warning, "parked") }
    let tries =
      item.attempts == 0 ? "not tried yet" : item.attempts == 1 ? "tried once" : "tried \(item.attempts) times"
    guard let next = item.nextAttemptAt, next > context.time.now else { return tries }
    return "\(tries), next \(context.time.text(next))"
  }

  private static func writeMembers(of item: QueueItem, withBody: Bool, to json: inout JSONWriter) {
    json.member("id", item.id)
    json.member("kind", item.kind)
    json.member("entity_id", item.entityID.description)
    json.member("lane", item.lane.rawValue)
    json.member("created_at", item.createdAt.description)
    json.member("attempts", item.attempts)
    json.member("next_attempt_at", item.nextAttemptAt?.description)
    json.member("last_error", item.lastError)
    json.key("parked")
    if let parked = item.parked {
      json.object {
        $0.member("at", parked.at.description)
        $0.member("code", parked.code)
        $0.member("message", parked.message)
      }
    } else {
      json.null()
    }
    if withBody {
      json.key("body")
      json.raw(item.body)
    }
  }
}
