import DeviceCore
import Glibc
import LocalStore
import Model

/// `sign-in`: a code goes to the number, and the code signs in.
struct SignInCommand {
  private let context: Context
  private let account: AccountSession
  private let phone: String
  private let region: String?

  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let region = try PhoneRegion.chosen(context)
    let phone = try Context.checked { () throws(InvalidInput) in
      try PhoneEntry.normalized(context.invocation.argument(0) ?? "", region: region)
    }
    if let code = context.invocation.value("code"), !OneTimeCode.isWellFormed(code) { throw Self.malformedCode }
    let account = AccountSession(store: try context.openStore(), configuration: try context.configuration())
    return try Self(context: context, account: account, phone: phone, region: region).run()
  }

  private func run() throws(Failure) -> ExitStatus {
    try attempt { () throws(AccountError) in try account.checkMaySignIn(as: phone, at: context.moment) }
    let known = try attempt { () throws(AccountError) in
      try account.pendingVerification(phone: phone, at: context.moment)
    }
    if let code = context.invocation.value("code") {
      // If no code was sent, the given code can only be wrong: it is not tried.
      guard let known else { return try sayHowToGoOn(request()) }
      return try finish(confirm(known, code))
    }
    // If a code was sent a moment ago, the server would refuse to send another.
    let pending: PendingVerification
    if let known, !known.mayResend(at: context.moment) { pending = known } else { pending = try request() }
    return try enterCode(pending)
  }

  private func request() throws(Failure) -> PendingVerification {
    try attempt { () throws(AccountError) in
      try account.requestCode(phone: phone, region: region, tell: sayThatItWorks, at: DeviceClock.now())
    }
  }

  private func sayThatItWorks(_ seconds: Int) {
    if context.console.isInteractive { Interruption.stopAtKeyboard() }
    context.console.note(AccountTexts.working(seconds))
  }

  /// Reads the code from standard input. A person at a terminal may try again.
  private func enterCode(_ pending: PendingVerification) throws(Failure) -> ExitStatus {
    let console = context.console
    if console.isInteractive { Interruption.stopAtKeyboard() }
    defer { if console.isInteractive { _ = signal(SIGINT, SIG_DFL) } }
    console.note(AccountTexts.codeSent(phone))
    while true {
      if console.isInteractive { console.prompt(AccountTexts.codePrompt) }
      guard let line = readLine() else {
        if console.isInteractive { console.prompt("\n") }
        return try sayHowToGoOn(pending)
      }
      let code = line.filter { $0 != " " }
      do throws(Failure) {
        return try finish(confirm(pending, code))
      } catch {
        guard console.isInteractive, error.code == "code_wrong" || error.code == Self.malformedCode.code else {
          throw error
        }
        console.prompt(error.message + "\n")
      }
    }
  }

  private func confirm(_ pending: PendingVerification, _ code: String) throws(Failure) -> Session {
    guard OneTimeCode.isWellFormed(code) else {
      throw Self.malformedCode
    }
    return try attempt { () throws(AccountError) in
      try account.confirm(pending.verificationID, of: phone, code: code, at: DeviceClock.now())
    }
  }

  private func sayHowToGoOn(_ pending: PendingVerification) throws(Failure) -> ExitStatus {
    throw Failure(
      .notSignedIn, "code_needed",
      AccountTexts.codeNeeded(
        phone, minutes: pending.minutesLeft(at: DeviceClock.now()), home: context.invocation.value(GlobalOption.home)))
  }

  private func finish(_ session: Session) throws(Failure) -> ExitStatus {
    context.console.json {
      $0.member("signed_in", true)
      $0.member("account_id", session.accountID.description)
      $0.member("phone", session.phone)
    }
    context.console.say(AccountTexts.signedIn(session.phone, context.console))
    try sendWhatWaits(account.store)
    // Whatever was sent, the server's answer named what it can use.
    for line in ContactCommands.unsupported(account.store, context.console) { context.console.say(line) }
    return .done
  }

  private func sendWhatWaits(_ store: LocalStore) throws(Failure) {
    let status = try context.attempt { () throws(LocalStoreError) in try store.status() }
    guard status.sync.pending > 0 else { return }
    let waiting = try context.attempt { () throws(LocalStoreError) in try store.waitingCounts() }
    context.console.say(AccountTexts.sendingWaiting(waiting))
    if let call = try context.attempt({ () throws(LocalStoreError) in try store.unsentCall() }) {
      DeliveryFollower.follow(
        store, alert: call.alert, press: call.press, notice: .activated, isTriedBefore: true, context)
    } else if let ended = try context.attempt({ () throws(LocalStoreError) in try store.unsentEnd() }) {
      let all = try context.attempt { () throws(LocalStoreError) in try store.unsentEnds() }
      DeliveryFollower.follow(
        store, alert: ended, alsoEnded: all, notice: .deactivated, isTriedBefore: true, context)
    } else {
      context.console.say(AccountTexts.toSend)
    }
  }

  private static let malformedCode = Failure(.badData, "invalid_code", AccountTexts.malformedCode)

  private func attempt<Result>(_ work: () throws(AccountError) -> Result) throws(Failure) -> Result {
    do throws(AccountError) { return try work() } catch { throw Failure(error, phone: phone, account.store) }
  }
}

/// `sign-out`.
enum SignOutCommand {
  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    let account = AccountSession(store: try context.openStore(), configuration: try context.configuration())
    do throws(AccountError) {
      let agreement = try account.signOutAgreement(at: context.moment)
      let calls = UnsentCalls(account.store)
      let isDiscarding = context.invocation.has("discard-pending")
      guard try isConfirmed(agreement, isDiscarding: isDiscarding, account.store, context) else {
        context.console.note(AccountTexts.stillSignedIn)
        return .stopped
      }
      try account.signOut(isDiscarding ? agreement : agreement.keepingQueue, at: context.moment)
      tell(agreement, calls, account.store, context)
      return .done
    } catch {
      throw Failure(error, account.store)
    }
  }

  /// What the agreement covers of the queue.
  private static func queued(
    _ agreement: SignOutAgreement, _ store: LocalStore
  ) throws(LocalStoreError) -> UnsentCounts {
    UnsentCounts(try store.queue().filter { agreement.queuedIDs.contains($0.id) })
  }

  /// Asks on a terminal before an alert stays active or unsent items are lost. Without a terminal, the options decide.
  private static func isConfirmed(
    _ agreement: SignOutAgreement, isDiscarding: Bool, _ store: LocalStore, _ context: Context
  ) throws(AccountError) -> Bool {
    var losses: [String] = []
    if !agreement.activeAlerts.isEmpty {
      losses.append(AccountTexts.alertStays(context.console))
    }
    if isDiscarding, !agreement.queuedIDs.isEmpty {
      do throws(LocalStoreError) {
        losses.append(AccountTexts.lost(try queued(agreement, store)))
      } catch {
        throw AccountError.store(error)
      }
    }
    if isDiscarding, agreement.removesSetAsideStores {
      losses.append(AccountTexts.copiesLost(store.home.setAsideStores.joined(separator: "\n")))
    }
    guard !losses.isEmpty, context.console.isInteractive, !context.invocation.has("yes") else { return true }
    return Confirmation.ask(
      losses.joined(separator: "\n"), toProceed: AccountTexts.signOutPurpose, word: "sign out", context)
  }

  private static func tell(_ agreement: SignOutAgreement, _ calls: UnsentCalls, _ store: LocalStore, _ context: Context)
  {
    context.console.json { $0.member("signed_in", false) }
    let lost = calls.states.filter { agreement.activeAlerts.contains($0.key) }
    if !lost.isEmpty {
      context.console.note(AccountTexts.callThrownAway(lost.count, mayHaveArrived: lost.values.contains(true)))
    }
    if lost.count < agreement.activeAlerts.count || lost.values.contains(true) {
      context.console.note(AccountTexts.alertWasActive(mayBe: lost.count == agreement.activeAlerts.count))
    }
    let setAside = store.home.setAsideStores
    if !setAside.isEmpty {
      context.console.note(AccountTexts.copiesStay(setAside.joined(separator: "\n")))
    }
    // The sign-out is done, whatever can be read now.
    guard let left = try? store.waitingCounts() else { return context.console.say(AccountTexts.signedOut) }
    guard left.count > 0 else {
      return context.console.say(setAside.isEmpty ? AccountTexts.nothingLeft : AccountTexts.signedOut)
    }
    context.console.say(AccountTexts.signedOut)
    context.console.note(AccountTexts.cameMeanwhile(left))
  }
}

/// The alerts whose first call the server never confirmed, and whether each was tried, so that the server may have it.
private struct UnsentCalls {
  var states: [AlertID: Bool] = [:]

  /// Best effort: of a store that cannot be read, none is known.
  init(_ store: LocalStore) {
    for item in (try? store.queue()) ?? [] where item.kind == Mutation.Kind.activateAlert.rawValue {
      states[AlertID(item.entityID)] = item.attempts > 0
    }
  }
}
