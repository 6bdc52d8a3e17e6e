import CurlTransport
import DeviceCore
import LocalStore
import Model
import SyncEngine

/// `sync`: sends what is queued and fetches what is new, once.
enum SyncCommand {
  /// The limit without progress.
  static let limitMilliseconds: Int64 = 60_000

  static func run(_ context: Context) throws(Failure) -> ExitStatus {
    if context.invocation.has("watch") {
      return try context.invocation.has("while-needed") ? BackgroundCommand.run(context) : WatchCommand.run(context)
    }
    let store = try openStore(context)
    let before = try context.attempt { () throws(LocalStoreError) in try store.status().sync }
    // An expired session still has its alert key.
    guard try context.attempt({ () throws(LocalStoreError) in try store.session() }) != nil else {
      let waiting = try context.attempt { () throws(LocalStoreError) in try store.waitingCounts() }
      let unsent = before.unsentOutside > 0 ? SyncTexts.unsentOutside(before.unsentOutside) + "\n" : ""
      throw Failure(.notSignedIn, "not_signed_in", unsent + SyncTexts.notSignedIn(SyncTexts.safety(waiting)))
    }
    let fallback =
      before.unsentOutside > 0
      ? sendUnsent(store.home, before.unsentOutside, context) : EmergencyFromMemory.FallbackOutcome()
    var report = sentByAlertKey(try exchange(store, before, context), context)
    report.pushed += fallback.sentCount
    report.pending += fallback.leftCount
    // Best effort: a store that cannot be read now has its own error in the report.
    let waiting = (try? store.waitingCounts()) ?? UnsentCounts(others: report.pending)
    tell(report, waiting, isComplete: fallback.leftCount == 0, store, context)
    return try conclude(report, fallback, waiting, store, parkedBefore: before.parked, context)
  }

  /// Opens the store. If the home cannot be written, first sends what is saved outside the store.
  private static func openStore(_ context: Context) throws(Failure) -> LocalStore {
    do throws(Failure) {
      return try context.openStore()
    } catch {
      guard error.status == .notSaved else { throw error }
      let home = try context.home()
      let count = EmergencyAccess.unsentCount(home, at: context.moment)
      guard count > 0, let complaint = sendUnsent(home, count, context).complaint else { throw error }
      throw Failure(error.status, error.code, "\(complaint)\n\(error.message)")
    }
  }

  /// - Parameter count: the number of messages to send.
  private static func sendUnsent(
    _ home: HomeDirectory, _ count: Int, _ context: Context
  ) -> EmergencyFromMemory.FallbackOutcome {
    UnsavedAlert(home, context)?.sendUnsent() ?? EmergencyFromMemory.FallbackOutcome(leftCount: count)
  }

  /// The report without an error, if the session has expired and the alert key has sent everything.
  private static func sentByAlertKey(_ report: SyncReport, _ context: Context) -> SyncReport {
    guard report.error?.kind == .unauthorized, report.pushed > 0, report.pending == 0 else { return report }
    context.console.note(SyncTexts.onlyAlerts)
    var report = report
    report.error = nil
    return report
  }

  private static func exchange(
    _ store: LocalStore, _ before: SyncOverview, _ context: Context
  ) throws(Failure) -> SyncReport {
    let outcome: SyncOutcome
    do throws(SyncWorkerError) {
      outcome = try SyncWorker.runOnce(store: store, deadlineMilliseconds: limitMilliseconds, isRenewed: true)
    } catch {
      throw Failure(error)
    }
    switch outcome {
    case .done(let report): return report
    case .handedOver: return try HandedOverSync(store: store, before: before).waitAndFetch(context)
    }
  }

  private static func tell(
    _ report: SyncReport, _ waiting: UnsentCounts, isComplete: Bool, _ store: LocalStore, _ context: Context
  ) {
    context.console.json { json in
      json.member("pushed", report.pushed)
      json.member("pulled", report.pulled)
      json.member("pending", report.pending)
      json.member("parked", report.parked)
      json.key("error")
      if let error = report.error {
        json.object {
          $0.member("code", error.kind.rawValue)
          $0.member("message", error.message)
        }
      } else {
        json.null()
      }
    }
    guard report.error == nil, isComplete else { return }
    context.console.say(SyncTexts.done(pushed: report.pushed, pulled: report.pulled, waiting))
    for line in ContactCommands.unsupported(store, context.console) { context.console.say(line) }
  }

  private static func conclude(
    _ report: SyncReport, _ fallback: EmergencyFromMemory.FallbackOutcome, _ waiting: UnsentCounts, _ store: LocalStore,
    parkedBefore: Int, _ context: Context
  ) throws(Failure) -> ExitStatus {
    if let error = report.error {
      let failure = Failure(error, waiting)
      let progress = SyncTexts.progress(pushed: report.pushed, pulled: report.pulled)
      let words = [fallback.complaint, failure.message, progress].compactMap(\.self)
      throw Failure(failure.status, failure.code, words.joined(separator: "\n"))
    }
    if let complaint = fallback.complaint {
      throw Failure(.unreachable, "not_sent", AccountTexts.tryLater(complaint))
    }
    guard report.parked > parkedBefore else { return .done }
    let refused = try context.attempt { () throws(LocalStoreError) in try store.refusedCounts() }
    throw Failure(.refused, "refused", SyncTexts.refusedItems(refused))
  }
}

/// A sync that the lease holder, another process, does for this one.
struct HandedOverSync {
  static let limitMilliseconds: Int64 = 10_000
  static let fetchMilliseconds: Int64 = 10_000

  let store: LocalStore
  let before: SyncOverview

  /// Waits until nothing is left to send, and then fetches what is new: that process may trust a connection that is dead.
  func waitAndFetch(_ context: Context) throws(Failure) -> SyncReport {
    var report = try wait(context)
    guard report.error == nil else { return report }
    switch FreshPull.run(store, limitMilliseconds: Self.fetchMilliseconds) {
    case .success(let count): report.pulled += count
    case .failure(let failure): report.error = failure
    }
    return report
  }

  /// Waits until that process has finished an exchange, or failed.
  func wait(_ context: Context) throws(Failure) -> SyncReport {
    let deadline = DeviceClock.monotonicMilliseconds() + Self.limitMilliseconds
    let watcher = StoreWatcher(store.home)
    while true {
      let now = try context.attempt { () throws(LocalStoreError) in try store.status().sync }
      let left = deadline - DeviceClock.monotonicMilliseconds()
      if isDone(now) || left <= 0 || watcher == nil { return report(now) }
      _ = watcher?.wait(milliseconds: left)
    }
  }

  /// Whether nothing waits, or an exchange failed since.
  private func isDone(_ now: SyncOverview) -> Bool {
    if now.pending == 0 { return before.pending == 0 || now.lastSuccessAt != before.lastSuccessAt }
    if isOnlyRoutineLeft(now) { return true }
    return now.lastError != nil && (now.lastError != before.lastError || now.nextAttemptAt != before.nextAttemptAt)
  }

  /// Whether the session has expired and only routine items are left, which wait for a sign-in.
  private func isOnlyRoutineLeft(_ now: SyncOverview) -> Bool {
    guard now.pending > 0, !now.signedIn, let state = try? store.syncState() else { return false }
    return state.session != nil && state.emergency.count == 0
  }

  private func report(_ now: SyncOverview) -> SyncReport {
    let pushed = max(0, before.pending - now.pending - max(0, now.parked - before.parked))
    return SyncReport(pushed: pushed, pulled: 0, pending: now.pending, parked: now.parked, error: error(now))
  }

  private func error(_ now: SyncOverview) -> SyncFailure? {
    if isOnlyRoutineLeft(now) { return SyncFailure(.unauthorized, SyncTexts.sessionExpired) }
    if let standstill = (try? SenderHealth.examine(store.home))?.standstill {
      return SyncFailure(.timeout, SyncTexts.nothingComesIn(standstill))
    }
    guard now.pending > 0 else { return nil }
    guard let message = now.lastError else {
      return SyncFailure(.timeout, SyncTexts.workerUnfinished)
    }
    return SyncFailure(SyncFailure.Kind(rawValue: now.lastErrorKind ?? "") ?? .offline, message)
  }
}

extension Failure {
  init(_ error: SyncWorkerError) {
    switch error.code {
    case .transportUnavailable: self.init(.unreachable, "transport_unavailable", error.message)
    case .store: self.init(.notSaved, "store", error.message)
    case .system: self.init(.unreachable, "system", error.message)
    }
  }

  /// What a failed exchange means to the caller of `sync`.
  init(_ error: SyncFailure, _ waiting: UnsentCounts) {
    let code = error.kind.rawValue
    let reason = Sentences.closed(error.message)
    let safety = SyncTexts.safety(waiting)
    switch error.kind {
    case .notSignedIn, .unauthorized: self.init(.notSignedIn, code, SyncTexts.signInNeeded(reason, safety))
    case .rejectedRequest, .tooLarge: self.init(.refused, code, SyncTexts.serverRefused(reason, safety))
    case .store: self.init(.notSaved, code, error.message)
    case .notConfigured: self.init(.unreachable, code, SyncTexts.noServer(safety))
    case .tls: self.init(.unreachable, code, SyncTexts.untrusted(reason, safety))
    case .offline, .timeout, .connectionBroken, .notOurServer, .serverError, .rateLimited, .cancelled:
      self.init(.unreachable, code, SyncTexts.tryLater(reason, safety))
    }
  }
}
