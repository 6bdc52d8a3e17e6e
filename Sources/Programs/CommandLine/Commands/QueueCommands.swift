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
    if count > 0 { context.console.note(SyncTexts.unsentOutside(count) + "\n" + Advice.sync) }
    if items.isEmpty, count == 0 { context.console.say(SyncTexts.queueEmpty) }
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
    context.console.say(SyncTexts.queuedAgain(item.id, isSending: isWorkerRunning))
    return .done
  }

  static func discard(_ context: Context) throws(Failure) -> ExitStatus {
    let id = try identifier(context)
    let store = try context.openStore()
    guard try isDiscardConfirmed(id, store, context) else {
      context.console.note(SyncTexts.queueKept)
      return .stopped
    }
    let items = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.discard(id, at: context.moment)
    }
    for item in items {
      context.console.json { writeMembers(of: item, withBody: false, to: &$0) }
      context.console.say(SyncTexts.discarded(item.kind, item.id, mayHaveArrived: mayHaveArrived(item)))
    }
    if items.contains(where: { isCall($0) && mayHaveArrived($0) }) {
      context.console.note(SyncTexts.callMayHaveArrived(context.console))
    }
    return .done
  }

  /// Asks on a terminal. Without one the script's author has decided, but for a call for help, which needs `--yes`.
  private static func isDiscardConfirmed(
    _ id: String, _ store: LocalStore, _ context: Context
  ) throws(Failure) -> Bool {
    guard !context.invocation.has("yes") else { return true }
    let items = try context.attempt { () throws(LocalStoreError) in try store.queue() }
    // `discard` reports an item that does not exist.
    guard let item = items.first(where: { $0.id == id }) else { return true }
    let isCall = isCall(item)
    guard context.console.isInteractive else {
      guard isCall else { return true }
      throw Failure(.usage, "confirmation_needed", SyncTexts.discardNeedsTerminal)
    }
    let time = context.time.text(item.createdAt)
    let loss =
      switch item.kind {
      case _ where isCall: SyncTexts.callLost(time, mayHaveArrived: mayHaveArrived(item), context.console)
      case Mutation.Kind.deactivateAlert.rawValue: SyncTexts.endLost
      default: SyncTexts.changeLost(item.kind, time)
      }
    return Confirmation.ask(loss, toProceed: SyncTexts.discardPurpose, word: "discard", context)
  }

  private static func isCall(_ item: QueueItem) -> Bool {
    item.kind == Mutation.Kind.activateAlert.rawValue || item.kind == Mutation.Kind.updateAlert.rawValue
  }

  /// It was tried, and the server did not say that it refused it.
  private static func mayHaveArrived(_ item: QueueItem) -> Bool { item.attempts > 0 && item.parked == nil }

  /// One JSON object a line whatever the options: the output is a backup.
  static func export(_ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore()
    for item in try context.attempt({ () throws(LocalStoreError) in try store.queue() }) {
      context.console.jsonLine { writeMembers(of: item, withBody: true, to: &$0) }
    }
    return .done
  }

  private static func identifier(_ context: Context) throws(Failure) -> String {
    guard let id = MutationID(context.invocation.argument(0) ?? "") else {
      throw Failure(.badData, "invalid_id", SyncTexts.invalidItem)
    }
    return id.description
  }

  private static func lines(_ item: QueueItem, _ context: Context) -> [String] {
    let created = context.time.text(item.createdAt)
    let lines = ["\(item.id)  \(item.kind)", "    \(created)  \(state(item, context))"]
    if let parked = item.parked {
      return lines + SyncTexts.refusedItem(parked.message.printable, parked.code.printable, item.id)
    }
    return lines + (item.lastError.map { [SyncTexts.itemLastTry($0.printable)] } ?? [])
  }

  private static func state(_ item: QueueItem, _ context: Context) -> String {
    if item.parked != nil { return context.console.styled(.warning, SyncTexts.parked) }
    let tries = SyncTexts.tries(item.attempts)
    guard let next = item.nextAttemptAt, next > context.time.now else { return tries }
    return SyncTexts.nextTry(tries, context.time.text(next))
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
