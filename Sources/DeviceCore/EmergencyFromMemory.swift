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
    /// The server had the alert, and it was ended on another device since: this call is not in it.
    case over
    /// The server has it, since that time by the server's clock.
    case accepted(at: Timestamp)
    /// The server refused it.
    case refused(String)
    /// Nobody answered who is our server.
    case notReached(String)
  }

  /// For all attempts together.
  package static let limitMilliseconds = 10_000
  private static let pauseMilliseconds: Int32 = 500

  package let access: EmergencyAccess
  private let home: HomeDirectory
  private let configuration: Configuration
  private let volatile: VolatileAlerts?
  private let caller: AccountCalls.Caller
  private let pause: @Sendable (Int32) -> Void

  /// nil where nothing can be sent: nobody is signed in, no server is set, or neither can be read.
  package init?(
    _ home: HomeDirectory, folders: [String] = StoreOptions.live.memoryFolders,
    caller: @escaping AccountCalls.Caller = CurlCaller.perform,
    pause: @escaping @Sendable (Int32) -> Void = { _ = poll(nil, 0, $0) }
  ) {
    guard let access = try? EmergencyAccess.read(home), let configuration = try? Configuration.load(home),
      configuration.endpoint != nil
    else { return nil }
    self.access = access
    self.home = home
    self.configuration = configuration
    self.caller = caller
    self.pause = pause
    VolatileAlerts.makeFolder(of: folders)
    volatile = VolatileAlerts(home, account: access.accountID, folders: folders)
  }

  /// Makes the alert in memory and sends it. Where one was sent from here before, this is a further call in the same alert; if that
  /// was ended on another device since, it is a new one.
  package func raise(
    _ draft: AlertDraft, at moment: Moment,
    random: @escaping @Sendable () -> (UInt64, UInt64) = StoreOptions.live.random
  ) -> (alert: Alert, wasRaisedBefore: Bool, answer: Answer) {
    let raised = volatile?.raise(draft, at: moment, random: random)
    let message = raised?.message ?? EmergencyMessage(draft, at: moment, random: random)
    let answer = send(message)
    guard case .over = answer, let volatile, raised?.wasRaisedBefore == true else {
      return (message.alert, raised?.wasRaisedBefore ?? false, answer)
    }
    volatile.forget(message.alert.id)
    let anew = volatile.raise(draft, at: moment, random: random)
    return (anew.message.alert, false, send(anew.message))
  }

  /// The alerts that can be ended from here.
  package var active: [EmergencyMessage] {
    access.active + EmergencyMessage.outsideOfStore(home, volatile)
  }

  /// Tells the server that these alerts have ended. The answer is that to the last, or the first that was not accepted.
  package func end(
    _ messages: [EmergencyMessage], at moment: Moment,
    random: @escaping @Sendable () -> (UInt64, UInt64) = StoreOptions.live.random
  ) -> Answer {
    var last = Answer.notReached("no alert is active")
    for message in messages {
      last = send(message.ended(at: moment, random: random))
      guard case .accepted = last else { return last }
      volatile?.forget(message.alert.id)
      // It would be taken in as an active one later. Where it stays, the server answers with the end.
      Spool.forget(message.alert.id, home: home)
    }
    return last
  }

  /// Sends until our server answers or the time is over, to the second server in turn where there is one.
  package func send(_ message: EmergencyMessage) -> Answer {
    let body = message.body(deviceID: access.deviceID)
    let endpoints = [configuration.endpoint, configuration.secondEndpoint].compactMap { $0 }
    let deadline = DeviceClock.monotonicMilliseconds() + Int64(Self.limitMilliseconds)
    var attempt = 0
    while true {
      let left = Int(deadline - DeviceClock.monotonicMilliseconds())
      let calls = AccountCalls(
        endpoint: endpoints[attempt % endpoints.count],
        certificateAuthorityFile: configuration.certificateAuthorityFile,
        totalTimeoutMilliseconds: max(1000, left), caller: caller)
      let answer = push(body, message, calls)
      guard case .notReached = answer else { return answer }
      attempt += 1
      guard left > 2 * Int(Self.pauseMilliseconds) else { return answer }
      pause(Self.pauseMilliseconds)
    }
  }

  private func push(_ body: [UInt8], _ message: EmergencyMessage, _ calls: AccountCalls) -> Answer {
    do throws(AccountCallError) {
      let response = try calls.push(body, alertKey: access.alertKey)
      return Self.answer(response, to: message)
    } catch {
      if case .problem(let problem) = error, [.unauthorized, .sessionRevoked].contains(problem.kind) {
        return .refused(problem.detail)
      }
      return .notReached(error.message)
    }
  }

  /// What counts is the last thing that was to be told: help, or that it is over.
  private static func answer(_ response: SyncResponse, to message: EmergencyMessage) -> Answer {
    let ids = Set(message.mutations.map(\.id.description))
    let results = response.results.filter { ids.contains($0.id) }
    if let refused = results.first(where: { $0.status == .rejected }) {
      if refused.code == ItemResult.alertEnded { return .over }
      return .refused(refused.message ?? "the server refused it")
    }
    guard let last = results.last, results.count == ids.count else {
      return .notReached("the server did not answer for it")
    }
    return .accepted(at: last.appliedAt ?? response.serverTime)
  }
}
