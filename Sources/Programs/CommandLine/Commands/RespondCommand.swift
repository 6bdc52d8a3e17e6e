import Arguments
import LocalStore
import Model
import Wire

/// `respond`: an answer to the alert of somebody else. It is saved first, whatever the network does.
enum RespondCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let kind = try answerKind(context.invocation)
    do throws(Failure) {
      return try respond(kind, context)
    } catch {
      guard error.status == .notSaved else { throw error }
      throw Failure(error.status, error.code, error.message + "\n" + otherWays(context))
    }
  }

  /// How to answer where this device cannot save an answer.
  private static func otherWays(_ context: Context) -> String {
    let entries = (try? EmergencyAccess.inbox(context.home(), limit: InboxCommand.limit)) ?? []
    var alerts = entries.map(\.alert).filter(\.isActive)
    if case .one(let alert, _)? = try? InboxChoice(entries, context).result() { alerts = [alert] }
    return InboxTexts.otherWays(
      alerts.prefix(shownCount).map { alert in
        InboxTexts.OtherWay(
          name: alert.name?.printable, phone: alert.phone.printable, page: alert.pageURL?.printable)
      })
  }

  /// As many alerts as fit onto a screen.
  private static let shownCount = 5

  private static func respond(_ kind: ResponderAnswer, _ context: Context) throws(Failure) -> ExitStatus {
    let store = try context.openStore(notSaved: true)
    try InboxCommand.requireSession(store, context)
    let (alert, words) = try choose(store, context)
    let answer = InboxAnswer(kind, text: words)
    let entry = try context.attempt(notSaved: true) { () throws(LocalStoreError) in
      try store.answer(alert.id, answer, at: context.moment)
    }
    context.console.json { json in
      json.member("stage", "saved")
      InboxJSON.writeMembers(entry, to: &json)
    }
    context.console.say(
      InboxTexts.saved(
        alert.person.printable, InboxDetails.text(answer), isDrill: alert.isDrill, context.console))
    return AnswerSender(store: store, saved: entry, context: context).run()
  }

  /// The alert that is meant, and the line. Where no active one fits, a newer one may be on the server: it is asked once.
  private static func choose(
    _ store: LocalStore, _ context: Context
  ) throws(Failure) -> (alert: InboxAlert, text: String) {
    let choice = InboxChoice(try InboxCommand.entries(store, context), context)
    let result = try choice.result()
    guard !result.isActive else { return try choice.alert(result, age: nil) }
    let isCurrent = !context.invocation.has("no-sync") && InboxExchange(store: store, context: context).fetch()
    let newer = InboxChoice(try InboxCommand.entries(store, context), context)
    let sync = try context.attempt { () throws(LocalStoreError) in try store.status().sync }
    return try newer.alert(newer.result(), age: isCurrent ? nil : InboxCommand.age(sync, isCurrent: true, context))
  }

  private static let options: [(name: String, answer: ResponderAnswer)] = [
    ("on-my-way", .onMyWay), ("there", .there), ("cannot", .cannot), ("handing-over", .handingOver),
  ]

  private static func answerKind(_ invocation: Invocation) throws(Failure) -> ResponderAnswer {
    let given = options.filter { invocation.has($0.name) }
    guard given.count < 2 else { throw Failure(.usage, "usage", InboxTexts.oneAnswer) }
    return given.first?.answer ?? .responding
  }
}
