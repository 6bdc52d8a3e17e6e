import CurlKit
package import CurlTransport
import Glibc
package import LocalStore
package import Model
import Wire

/// Sends an alert from a home that cannot be written, or that cannot keep what the server answers. By the alert key, in requests of
/// its own: whoever else sends the same sends it under the same ids, and the server counts it once.
package struct EmergencyFromMemory: Sendable {
  package enum Answer: Hashable, Sendable {
    /// The server has it, since that time by the server's clock.
    case accepted(at: Timestamp)
    /// The server refused it.
    case refused(String)
    /// The server takes nothing more from this device before it is signed in again.
    case notSignedIn(String)
    /// Nobody answered who is our server.
    case notReached(String)

    fileprivate var isAccepted: Bool { if case .accepted = self { true } else { false } }
    fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
  }

  /// What came of a call for help that is saved nowhere.
  package struct Raised: Sendable {
    package let alert: Alert
    /// It is a further call in an alert that was active here.
    package let wasRaisedBefore: Bool
    /// It lies in memory: it can be ended from here, and is taken in when this device can save again. Else it is forgotten with the
    /// process.
    package let isNoted: Bool
    package let answer: Answer
  }

  private enum Verdict: Equatable {
    case answer(Answer)
    /// The server takes no further call in this alert: it had ended on another device, or the server does not know it.
    case over
  }

  /// For all attempts of one message together.
  package static let limitMilliseconds = 10_000
  private static let pauseMilliseconds: Int32 = 500
  /// Of a call that does not wait any more when the server says that its alert is over: it is not to become a new one.
  private static let seenTo = Answer.refused("another command ended this call, or saved it, meanwhile")

  package let access: EmergencyAccess
  private let home: HomeDirectory
  private let configuration: Configuration
  private let volatile: VolatileAlerts?
  private let random: @Sendable () -> (UInt64, UInt64)
  private let caller: AccountCalls.Caller
  private let pause: @Sendable (Int32) -> Void

  /// nil where nothing can be sent: nobody is signed in, no server is set, or neither can be read.
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

  /// Sends a call for help that is saved nowhere: as a further call in the alert that is active, else as a new alert, made in memory.
  /// Where the server takes no further call in the one that is active here, it is a new one, too. A drill is not sent beside a real
  /// alert.
  package func raise(_ draft: AlertDraft, at moment: Moment) -> Raised {
    let active = active(at: moment).filter { $0.unsavedEnd == nil }
    if draft.isDrill, let real = active.last(where: { !$0.alert.isDrill }) {
      let reason = "a real alert is active here, and no drill is sent beside it"
      return Raised(alert: real.alert, wasRaisedBefore: true, isNoted: false, answer: .refused(reason))
    }
    // Those that were raised in memory, the last ones, are the newest.
    var overtaken: [AlertID] = []
    if let standing = active.last(where: { $0.alert.isDrill == draft.isDrill }) {
      let again = standing.calledAgain(draft, at: moment, random: random)
      if let raised = callAgain(again, at: moment) { return raised }
      overtaken = again.calls
    }
    let message = EmergencyMessage(draft, at: moment, random: random)
    let isNoted = volatile?.note(message) ?? false
    // Whoever shows how things stand looks again.
    home.poke()
    let answer = send(message)
    if isNoted || answer.isAccepted { overtaken.forEach { volatile?.forget($0) } }
    if isNoted { note(answer, of: message) }
    return Raised(alert: message.alert, wasRaisedBefore: false, isNoted: isNoted, answer: answer)
  }

  /// Sends an alert with its newest call; nil where the server takes no further call in it.
  private func callAgain(_ message: EmergencyMessage, at moment: Moment) -> Raised? {
    let isNoted = volatile?.noteCall(of: message) ?? false
    home.poke()
    switch attempt(message) {
    case .over:
      guard isNoted, let call = message.calls.last, volatile?.isWaiting(call) == false else { return nil }
      return Raised(
        alert: message.alert, wasRaisedBefore: true, isNoted: false, answer: Self.seenTo)
    case .answer(let answer):
      note(answer, of: message)
      return Raised(alert: message.alert, wasRaisedBefore: true, isNoted: isNoted, answer: answer)
    }
  }

  /// Keeps that the server has an alert with all its calls. Of further calls in memory nothing is left to be said. False where the
  /// server has it and that cannot be kept.
  @discardableResult
  private func note(_ answer: Answer, of message: EmergencyMessage) -> Bool {
    guard case .accepted(let time) = answer else { return true }
    let isNoted = volatile?.noteReceived(message.outside, at: time) ?? false
    for call in message.calls where call != message.alert.id && !Spool.has(call, home: home) { volatile?.forget(call) }
    return isNoted
  }

  /// Sends a call for help that lies in the spool: with the alert that the store will make of it.
  package func sendSpooled(_ call: AlertID, at moment: Moment) -> Answer {
    guard let message = active(at: moment).first(where: { $0.carries(call) }) else {
      return .notReached("the call is not in the spool any more")
    }
    guard case .answer(let answer) = attempt(message) else {
      guard active(at: moment).contains(where: { $0.unsavedEnd == nil && $0.carries(call) }),
        let own = message.anew.first(where: { $0.alert.id == call })
      else { return Self.seenTo }
      let answer = send(own)
      note(answer, of: own)
      return answer
    }
    note(answer, of: message)
    return answer
  }

  /// What came of what lay outside of the store.
  package struct FallbackOutcome: Sendable {
    /// Calls for help and ends of which the server has heard now.
    package var sentCount: Int
    /// Those of which it has not, and why not the first of them.
    package var leftCount: Int
    package var obstacle: Answer?
    /// False where the server has something and that could not be kept: the next attempt would send it again, under other ids.
    package var isNoted = true

    package init(sentCount: Int = 0, leftCount: Int = 0) {
      self.sentCount = sentCount
      self.leftCount = leftCount
    }
  }

  /// Sends the calls for help and the ends that lie outside of the store, and of which the server is not known to have heard.
  package func sendUnsent(at moment: Moment) -> FallbackOutcome {
    let received = volatile?.receivedCalls ?? []
    var fallback = FallbackOutcome()
    for message in active(at: moment) {
      let count = message.unsavedEnd == nil ? message.outside.filter { !received.contains($0) }.count : 1
      guard count > 0 else { continue }
      // Where nobody answers for the first of them, nobody does for the others.
      let answer =
        if case .notReached = fallback.obstacle {
          fallback.obstacle ?? Self.seenTo
        } else {
          message.unsavedEnd == nil ? sendOutside(message, &fallback) : end(message, at: moment).answer
        }
      if answer.isAccepted {
        fallback.sentCount += count
      } else {
        fallback.leftCount += count
        fallback.obstacle = fallback.obstacle ?? answer
      }
    }
    return fallback
  }

  /// Sends an alert with the calls that lie outside of the store. Where it is over, the newest of them is an alert of its own.
  private func sendOutside(_ message: EmergencyMessage, _ fallback: inout FallbackOutcome) -> Answer {
    if case .answer(let answer) = attempt(message) {
      fallback.isNoted = note(answer, of: message) && fallback.isNoted
      return answer
    }
    guard let own = message.anew.last else { return Self.seenTo }
    volatile?.raise(own)
    for call in message.calls where call != own.alert.id { volatile?.forget(call) }
    let answer = send(own)
    fallback.isNoted = note(answer, of: own) && fallback.isNoted
    return answer
  }

  /// Sends what is queued of an alert, where the store cannot keep the answer. A call in an alert that had ended on another device
  /// goes as an alert of its own, as the store will send it.
  package func sendQueued(_ message: EmergencyMessage, at moment: Moment) -> Answer {
    send(message, else: message.anew.last.map { message.alert.isActive ? $0 : $0.ended(at: moment, random: random) })
  }

  /// The alerts that can be ended from here, and those that were, where the server may not know it.
  package func active(at moment: Moment) -> [EmergencyMessage] {
    // As it is now: a worker may have taken alerts in since.
    let access = (try? EmergencyAccess.read(home, at: moment, random: random)) ?? access
    return EmergencyMessage.active(access, home, volatile, at: moment, random: random)
  }

  /// What came of the end of alerts that this device cannot save.
  package struct Ended: Sendable {
    /// The first that is not accepted, else the last.
    package var answer: Answer
    /// What the server has not accepted lies in memory, and is taken in when this device can save again.
    package var isNoted: Bool
  }

  /// Tells the server that these alerts have ended.
  package func end(_ messages: [EmergencyMessage], at moment: Moment) -> Ended {
    var outcome = Ended(answer: .notReached("no alert is active"), isNoted: true)
    for (number, message) in messages.enumerated() {
      let ended = end(message, at: moment)
      if number == 0 || outcome.answer.isAccepted { outcome.answer = ended.answer }
      outcome.isNoted = outcome.isNoted && ended.isNoted
    }
    return outcome
  }

  private func end(_ message: EmergencyMessage, at moment: Moment) -> Ended {
    var end = message.end(at: moment, random: random)
    // Before it is sent: whoever is killed now was safe all the same.
    let isNoted = volatile?.note(end) ?? false
    home.poke()
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
      // It is over. The calls that it carries may be active as alerts of their own.
      let answers = message.anew.map { send($0.ended(at: moment, random: random)) }
      return answers.first { !$0.isAccepted } ?? answers.last ?? .refused("the server knows another state of it")
    }
    return answer
  }

  private func send(_ message: EmergencyMessage, else own: EmergencyMessage? = nil) -> Answer {
    switch attempt(message) {
    case .answer(let answer): answer
    case .over: own.map { send($0) } ?? .refused("the alert was ended on another device")
    }
  }

  /// Sends until our server answers or the time is over, to the second server in turn where there is one.
  private func attempt(_ message: EmergencyMessage) -> Verdict {
    let endpoints = [configuration.endpoint, configuration.secondEndpoint].compactMap { $0 }
    let deadline = DeviceClock.monotonicMilliseconds() + Int64(Self.limitMilliseconds)
    var attempt = 0
    while true {
      let left = Int(deadline - DeviceClock.monotonicMilliseconds())
      let calls = AccountCalls(
        endpoint: endpoints[attempt % endpoints.count],
        certificateAuthorityFile: configuration.certificateAuthorityFile,
        totalTimeoutMilliseconds: max(1000, left), caller: caller)
      let verdict = push(message, calls)
      guard case .answer(.notReached) = verdict else { return verdict }
      attempt += 1
      guard left > 2 * Int(Self.pauseMilliseconds) else { return verdict }
      pause(Self.pauseMilliseconds)
    }
  }

  private func push(_ message: EmergencyMessage, _ calls: AccountCalls) -> Verdict {
    let body = message.body(deviceID: access.deviceID, sentAt: DeviceClock.now().wall)
    do throws(AccountCallError) {
      return Self.verdict(try calls.push(body, alertKey: access.alertKey), on: message)
    } catch {
      if case .problem(let problem) = error, [.unauthorized, .sessionRevoked].contains(problem.kind) {
        return .answer(.notSignedIn(problem.detail))
      }
      return .answer(.notReached(error.message))
    }
  }

  /// What counts is the last thing that was to be told: help, or that it is over.
  private static func verdict(_ response: SyncResponse, on message: EmergencyMessage) -> Verdict {
    let kinds = Dictionary(message.mutations.map { ($0.id.description, $0.kind) }) { first, _ in first }
    let results = response.results.filter { kinds[$0.id] != nil }
    if let refused = results.first(where: { $0.status == .rejected }) {
      let kind = kinds[refused.id]
      if kind == .updateAlert { return .over }
      if kind == .deactivateAlert, refused.code == ItemResult.unknownAlert {
        return .answer(.accepted(at: response.serverTime))
      }
      return .answer(.refused(refused.message ?? "the server refused it"))
    }
    guard let last = results.last, results.count == kinds.count else {
      return .answer(.notReached("the server did not answer for it"))
    }
    return .answer(.accepted(at: last.appliedAt ?? response.serverTime))
  }
}
