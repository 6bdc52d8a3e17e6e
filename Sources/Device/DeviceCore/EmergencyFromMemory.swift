import CurlKit
package import CurlTransport
import Glibc
package import LocalStore
package import Model
import Wire

/// Sends an alert from a home that cannot be written, or that cannot record the server's answer. Uses the alert key and its own
/// requests. Other senders of the same alert use the same ids, so the server applies it once.
package struct EmergencyFromMemory: Sendable {
  package enum Answer: Hashable, Sendable {
    /// The server accepted it at this time, by the server's clock.
    case accepted(at: Timestamp)
    /// The server refused it.
    case refused(String)
    /// The server accepts nothing from this device until it signs in again.
    case notSignedIn(String)
    /// The server was not reached.
    case notReached(String)
    /// The server may have it: its answer did not come through.
    case unconfirmed(String)

    fileprivate var isAccepted: Bool { if case .accepted = self { true } else { false } }
    fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
    package var isUnconfirmed: Bool { if case .unconfirmed = self { true } else { false } }

    /// The reason, where our server did not answer.
    fileprivate var unanswered: String? {
      switch self {
      case .notReached(let reason), .unconfirmed(let reason): reason
      case .accepted, .refused, .notSignedIn: nil
      }
    }
  }

  /// The result of a call for help that could not be saved.
  package struct Raised: Sendable {
    package let alert: Alert
    /// It is a further call in an alert that was already active here.
    package let wasRaisedBefore: Bool
    /// It is kept in shared memory: it can be ended from here, and is recovered when this device can save again. Otherwise it is
    /// lost when the process ends.
    package let isNoted: Bool
    package let answer: Answer
  }

  private enum Verdict: Equatable {
    case answer(Answer)
    /// The server accepts no further call in this alert: it ended on another device, or the server does not know it.
    case over
  }

  /// The time limit for all attempts of one message.
  package static let limitMilliseconds = 10_000
  private static let pauseMilliseconds: Int32 = 500
  /// The answer for a call that another command handled before the server said that its alert is over. It must not become a new
  /// alert.
  private static let superseded = Answer.refused(DeviceTexts.superseded)

  package let access: EmergencyAccess
  private let home: HomeDirectory
  private let configuration: Configuration
  private let volatile: VolatileAlerts?
  private let random: @Sendable () -> (UInt64, UInt64)
  private let caller: AccountCalls.Caller
  private let pause: @Sendable (Int32) -> Void
  /// Monotonic milliseconds after which nothing more is tried; nil: only each message has its limit.
  private var deadlineMilliseconds: Int64?

  /// Nil if nothing can be sent: not signed in, no server configured, or neither can be read.
  package init?(
    _ home: HomeDirectory, options: StoreOptions = .live, caller: @escaping AccountCalls.Caller = CurlCaller.perform,
    pause: @escaping @Sendable (Int32) -> Void = { _ = poll(nil, 0, $0) }
  ) {
    guard let access = try? EmergencyAccess.read(home, at: DeviceClock.now(), random: options.random),
      let configuration = try? Configuration.load(home), configuration.endpoint != nil
    else { return nil }
    self.access = access
    self.home = home
    self.configuration = configuration
    random = options.random
    self.caller = caller
    self.pause = pause
    VolatileAlerts.makeFolder(of: options.memoryFolders)
    volatile = VolatileAlerts(home, device: access.deviceID, account: access.accountID, folders: options.memoryFolders)
  }

  /// Sends a call for help that could not be saved: as a further call in the active alert, or else as a new alert in memory. It
  /// also becomes a new alert if the server accepts no further call in the active one. A drill is not sent while a real alert is
  /// active.
  ///
  /// - Parameter whenNoted: called whenever something of it is in memory, before that is sent.
  package func raise(_ draft: AlertDraft, at moment: Moment, whenNoted: () -> Void = {}) -> Raised {
    let active = active(at: moment).filter { $0.unsavedEnd == nil }
    if draft.isDrill, let real = active.last(where: { !$0.alert.isDrill }) {
      return Raised(
        alert: real.alert, wasRaisedBefore: true, isNoted: false, answer: .refused(DeviceTexts.realAlertActive))
    }
    // Alerts raised in memory come last and are the newest.
    var overtaken: [AlertID] = []
    var message = EmergencyMessage(draft, at: moment, random: random)
    if let standing = active.last(where: { $0.alert.isDrill == draft.isDrill }) {
      let again = standing.calledAgain(draft, at: moment, random: random)
      if let raised = callAgain(again, whenNoted) { return raised }
      message = again.newestAnew ?? message
      overtaken = again.calls.filter { $0 != message.alert.id }
    }
    let kept = volatile?.keep(message)
    message = kept ?? message
    let isNoted = kept != nil
    noted(isNoted, whenNoted)
    let answer = send(message)
    if isNoted || answer.isAccepted { overtaken.forEach { volatile?.forget($0) } }
    if isNoted { note(answer, of: message) }
    return Raised(alert: message.alert, wasRaisedBefore: false, isNoted: isNoted, answer: answer)
  }

  /// Sends an alert with its newest call; nil if the server accepts no further call in it.
  private func callAgain(_ message: EmergencyMessage, _ whenNoted: () -> Void) -> Raised? {
    let isNoted = volatile?.noteCall(of: message) ?? false
    noted(isNoted, whenNoted)
    switch attempt(message) {
    case .over:
      guard isNoted, let call = message.calls.last, volatile?.isWaiting(call) == false else { return nil }
      return Raised(
        alert: message.alert, wasRaisedBefore: true, isNoted: false, answer: Self.superseded)
    case .answer(let answer):
      note(answer, of: message)
      return Raised(alert: message.alert, wasRaisedBefore: true, isNoted: isNoted, answer: answer)
    }
  }

  /// Makes displays of the status refresh, and calls `action` if something is in memory now.
  private func noted(_ isNoted: Bool, _ action: () -> Void) {
    home.poke()
    if isNoted { action() }
  }

  /// Records that the server has an alert with all its calls, which settles further calls in memory. False if the server has it
  /// and that cannot be recorded.
  @discardableResult
  private func note(_ answer: Answer, of message: EmergencyMessage) -> Bool {
    guard case .accepted(let time) = answer else { return true }
    let isNoted = volatile?.noteReceived(message.outside, in: message.alert.id, at: time) ?? false
    for call in message.calls where call != message.alert.id && !Spool.has(call, home: home) { volatile?.forget(call) }
    return isNoted
  }

  /// Sends a call for help that is in the spool, as the alert that the store will make of it.
  package func sendSpooled(_ call: AlertID, at moment: Moment) -> Answer {
    guard let message = active(at: moment).first(where: { $0.carries(call) }) else {
      return .notReached(DeviceTexts.notInSpool)
    }
    guard case .answer(let answer) = attempt(message) else {
      guard active(at: moment).contains(where: { $0.unsavedEnd == nil && $0.carries(call) }),
        let own = message.anew.first(where: { $0.alert.id == call })
      else { return Self.superseded }
      let answer = send(own)
      note(answer, of: own)
      return answer
    }
    note(answer, of: message)
    return answer
  }

  /// The result of sending what is outside the store.
  package struct FallbackOutcome: Sendable {
    /// The number of calls for help and ends that the server now has.
    package var sentCount: Int
    /// The number that it does not have, and below the reason for the first.
    package var leftCount: Int
    package var obstacle: Answer?
    /// False if the server has something and that could not be recorded: the next attempt would send it once more, for nothing.
    package var isNoted = true

    package init(sentCount: Int = 0, leftCount: Int = 0) {
      self.sentCount = sentCount
      self.leftCount = leftCount
    }

    fileprivate mutating func take(_ answer: Answer, of count: Int, _ isNoted: Bool = true) {
      self.isNoted = self.isNoted && isNoted
      if answer.isAccepted {
        sentCount += count
      } else {
        leftCount += count
        obstacle = obstacle ?? answer
      }
    }
  }

  /// Sends the calls for help and ends that are outside the store and that the server is not known to have.
  package func sendUnsent(at moment: Moment) -> FallbackOutcome {
    let received = volatile?.receivedCalls ?? []
    var fallback = FallbackOutcome()
    for message in active(at: moment) {
      let count = message.unsavedEnd == nil ? message.outside.filter { !received.contains($0) }.count : 1
      guard count > 0 else { continue }
      // If the server does not answer for the first, it does not for the others.
      if let obstacle = fallback.obstacle, obstacle.unanswered != nil {
        fallback.leftCount += count
      } else if message.unsavedEnd == nil {
        sendOutside(message, count, &fallback)
      } else {
        fallback.take(end(message, at: moment).answer, of: count)
      }
    }
    return fallback
  }

  /// As `sendUnsent(at:)`, for at most `milliseconds` for all messages together.
  package func sendUnsent(at moment: Moment, withinMilliseconds milliseconds: Int64) -> FallbackOutcome {
    var limited = self
    limited.deadlineMilliseconds = DeviceClock.monotonicMilliseconds() + milliseconds
    return limited.sendUnsent(at: moment)
  }

  /// Sends an alert with the calls that are outside the store. If the alert is over, they become one new alert where all are in memory, and
  /// otherwise one each, as the store will make of them; the newest first.
  ///
  /// - Parameter count: how many of them the server is not known to have.
  private func sendOutside(_ message: EmergencyMessage, _ count: Int, _ fallback: inout FallbackOutcome) {
    if case .answer(let answer) = attempt(message) {
      return fallback.take(answer, of: count, note(answer, of: message))
    }
    if let newest = message.newestAnew, let own = volatile?.raise(newest) {
      // It says what they say.
      if own.alert == newest.alert { for call in message.calls where call != own.alert.id { volatile?.forget(call) } }
      let answer = send(own)
      return fallback.take(answer, of: count, note(answer, of: own))
    }
    let received = volatile?.receivedCalls ?? []
    let unsent = message.anew.filter { message.outside.contains($0.alert.id) && !received.contains($0.alert.id) }
    for own in unsent.reversed() {
      let answer = send(own)
      fallback.take(answer, of: 1, note(answer, of: own))
    }
    if unsent.isEmpty { fallback.take(Self.superseded, of: count) }
  }

  /// Sends what is queued of an alert while the store cannot record the answer. A call in an alert that ended on another device
  /// is sent as a new alert, as the store will send it.
  package func sendQueued(_ message: EmergencyMessage, at moment: Moment) -> Answer {
    send(message, else: message.newestAnew.map { message.alert.isActive ? $0 : $0.ended(at: moment, random: random) })
  }

  /// The alerts that can be ended from here, and ended ones whose end the server may not have.
  package func active(at moment: Moment) -> [EmergencyMessage] {
    // Reread: a worker may have recovered alerts since.
    let access = (try? EmergencyAccess.read(home, at: moment, random: random)) ?? access
    return EmergencyMessage.active(access, home, volatile)
  }

  /// The same, without those that a person was not shown.
  ///
  /// - Parameter shown: nil for all.
  package func active(at moment: Moment, shown: [AlertToEnd]?) -> [EmergencyMessage] {
    let active = active(at: moment)
    guard let shown else { return active }
    return active.compactMap { $0.unsavedEnd == nil ? $0.seen(in: shown) : $0 }
  }

  /// The result of ending alerts that this device cannot save.
  package struct Ended: Sendable {
    /// The first answer that is not accepted, or else the last.
    package var answer: Answer
    /// What the server has not accepted is kept in shared memory, and is recovered when this device can save again.
    package var isNoted: Bool
  }

  /// Tells the server that these alerts have ended.
  ///
  /// - Parameter whenNoted: called for each end that is in memory, before it is sent.
  package func end(
    _ messages: [EmergencyMessage], at moment: Moment, whenNoted: () -> Void = {}
  ) -> Ended {
    var outcome = Ended(answer: .notReached(DeviceTexts.noActiveAlert), isNoted: true)
    for (number, message) in messages.enumerated() {
      let ended = end(message, at: moment, whenNoted)
      if number == 0 || outcome.answer.isAccepted { outcome.answer = ended.answer }
      outcome.isNoted = outcome.isNoted && ended.isNoted
    }
    return outcome
  }

  private func end(_ message: EmergencyMessage, at moment: Moment, _ whenNoted: () -> Void = {}) -> Ended {
    var end = message.end(at: moment, random: random)
    // Noted before it is sent, so that the end survives if this process is killed now.
    let isNoted = volatile?.note(end) ?? false
    noted(isNoted, whenNoted)
    let answer = send(message, endedBy: end, at: moment)
    if answer.isRefused { volatile?.forget(end) }
    guard answer.isAccepted else { return Ended(answer: answer, isNoted: isNoted && !answer.isRefused) }
    end.isReceived = true
    _ = volatile?.note(end)
    for call in message.calls {
      volatile?.forget(call)
      Spool.forget(call, home: home)
    }
    if !message.isInStore, !message.calls.contains(where: { Spool.has($0, home: home) }) { volatile?.forget(end) }
    return Ended(answer: answer, isNoted: true)
  }

  private func send(_ message: EmergencyMessage, endedBy end: UnsavedEnd, at moment: Moment) -> Answer {
    guard case .answer(let answer) = attempt(message.ended(by: end)) else {
      // The alert is over. Its further calls may be active as separate alerts.
      let answers = message.perhapsAnew.map { send($0.ended(at: moment, random: random)) }
      return answers.first { !$0.isAccepted } ?? answers.last ?? .refused(DeviceTexts.otherState)
    }
    return answer
  }

  private func send(_ message: EmergencyMessage, else own: EmergencyMessage? = nil) -> Answer {
    switch attempt(message) {
    case .answer(let answer): answer
    case .over: own.map { send($0) } ?? .refused(DeviceTexts.endedElsewhere)
    }
  }

  /// Retries until our server answers or the time is over, alternating with the second server if one is set. A server that does not know
  /// this device may be the wrong one: it is asked once, and then the other alone.
  private func attempt(_ message: EmergencyMessage) -> Verdict {
    var endpoints = configuration.endpoints
    let start = DeviceClock.monotonicMilliseconds()
    let deadline = min(start + Int64(Self.limitMilliseconds), deadlineMilliseconds ?? .max)
    guard deadline > start else { return .answer(.notReached(DeviceTexts.noTimeLeft)) }
    var untried = endpoints.count
    var mayHaveArrived = false
    var refusal: String?
    while true {
      let left = Int(deadline - DeviceClock.monotonicMilliseconds())
      let endpoint = endpoints.removeFirst()
      // A server that never answers leaves time for the other.
      let verdict = push(message, to: endpoint, withinMilliseconds: max(1000, left / max(1, untried)))
      untried -= 1
      guard case .answer(let answer) = verdict else { return verdict }
      if case .notSignedIn(let reason) = answer, !endpoints.isEmpty {
        refusal = reason
        continue
      }
      guard let reason = answer.unanswered else { return verdict }
      endpoints.append(endpoint)
      mayHaveArrived = mayHaveArrived || answer.isUnconfirmed
      guard left > 2 * Int(Self.pauseMilliseconds) else {
        return .answer(mayHaveArrived ? .unconfirmed(reason) : .notReached(refusal ?? reason))
      }
      pause(Self.pauseMilliseconds)
    }
  }

  private func push(
    _ message: EmergencyMessage, to endpoint: String, withinMilliseconds milliseconds: Int
  ) -> Verdict {
    let calls = AccountCalls(
      endpoint: endpoint, certificateAuthorityFile: configuration.certificateAuthorityFile,
      totalTimeoutMilliseconds: milliseconds, caller: caller)
    let body = message.body(deviceID: access.deviceID, sentAt: DeviceClock.now().wall)
    do throws(AccountCallError) {
      return Self.verdict(try calls.exchange(body, token: access.alertKey), on: message)
    } catch {
      if case .problem(let problem) = error, [.unauthorized, .sessionRevoked].contains(problem.kind) {
        return .answer(.notSignedIn(problem.detail))
      }
      return .answer(error.mayHaveArrived ? .unconfirmed(error.message) : .notReached(error.message))
    }
  }

  /// The verdict on the last item: the call for help, or the end.
  private static func verdict(_ response: SyncResponse, on message: EmergencyMessage) -> Verdict {
    let kinds = Dictionary(message.mutations.map { ($0.id.description, $0.kind) }) { first, _ in first }
    let results = response.results.filter { kinds[$0.id] != nil }
    if let refused = results.first(where: { $0.status == .rejected }) {
      let kind = kinds[refused.id]
      if kind == .updateAlert { return .over }
      if kind == .deactivateAlert, refused.code == ItemResult.unknownAlert {
        return .answer(.accepted(at: response.serverTime))
      }
      return .answer(.refused(refused.message ?? DeviceTexts.refused))
    }
    guard let last = results.last, results.count == kinds.count else {
      return .answer(.unconfirmed(DeviceTexts.unconfirmed))
    }
    return .answer(.accepted(at: last.appliedAt ?? response.serverTime))
  }
}
