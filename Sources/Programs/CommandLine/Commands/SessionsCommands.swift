import DeviceCore
import LocalStore
import Model
import Wire

/// `sessions list` and `sessions end`: where the account is signed in.
enum SessionsCommands {
  static func list(_ context: Context) throws(Failure) -> ExitStatus {
    let account = try account(context)
    let sessions = try attempt { () throws(AccountError) in try account.sessions() }
    for session in sessions {
      context.console.json { session.writeMembers(to: &$0) }
      for line in lines(session, context) { context.console.say(line) }
    }
    return .done
  }

  static func end(_ context: Context) throws(Failure) -> ExitStatus {
    guard let id = EntityID(context.invocation.argument(0) ?? "") else {
      throw Failure(.badData, "invalid_id", AccountTexts.invalidSession)
    }
    let account = try account(context)
    let session = try attempt { () throws(AccountError) in try account.endSession(id) }
    context.console.json {
      $0.member("id", session.id.description)
      $0.member("ended", true)
    }
    context.console.say(AccountTexts.sessionEnded(session.deviceName.printable))
    return .done
  }

  private static func lines(_ session: SessionEntry, _ context: Context) -> [String] {
    var facts = [AccountTexts.sessionSince(context.time.text(session.createdAt))]
    if let lastSeenAt = session.lastSeenAt { facts.append(AccountTexts.lastSeen(context.time.text(lastSeenAt))) }
    if session.isAlertKeyOnly { facts.append(AccountTexts.alertKeyOnly) }
    let mark = session.isCurrent ? AccountTexts.thisDevice : ""
    return ["\(session.id)  \(session.deviceName.printable)\(mark)", "    " + facts.joined(separator: ", ")]
  }

  private static func account(_ context: Context) throws(Failure) -> AccountSession {
    AccountSession(store: try context.openStore(), configuration: try context.configuration())
  }

  private static func attempt<Result>(_ work: () throws(AccountError) -> Result) throws(Failure) -> Result {
    do throws(AccountError) { return try work() } catch { throw Failure(error) }
  }
}
