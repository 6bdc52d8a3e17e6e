import CurlKit
package import CurlTransport
package import LocalStore
import Wire

/// Fetches what is new beside the process that holds the sender's lease, which may trust a connection that is dead.
///
/// It has a connection of its own. It never renews the session, since two processes that did so would end it: it waits for the
/// lease's holder to do that.
package struct FreshPull {
  /// Few enough for the answer's size limit.
  private static let changeLimit = 50

  private let store: LocalStore
  private let caller: AccountCalls.Caller
  private let endMilliseconds: Int64

  private var leftMilliseconds: Int64 { endMilliseconds - DeviceClock.monotonicMilliseconds() }

  /// Blocks until this store has everything that the server had when it was called, at most for the time limit. Gives the number
  /// of changes, or why the server could not be asked.
  package static func run(
    _ store: LocalStore, limitMilliseconds: Int64, caller: @escaping AccountCalls.Caller = CurlCaller.perform
  ) -> Result<Int, SyncFailure> {
    let end = DeviceClock.monotonicMilliseconds() + limitMilliseconds
    let pull = FreshPull(store: store, caller: caller, endMilliseconds: end)
    do throws(SyncFailure) { return .success(try pull.run()) } catch { return .failure(error) }
  }

  private func run() throws(SyncFailure) -> Int {
    // Watched from before the session is read.
    let watcher = StoreWatcher(store.home)
    var pulled = 0
    while true {
      let session = try session()
      do throws(SyncFailure) {
        let applied = try page(session)
        pulled += applied.pulled
        // Another process may have moved the cursor meanwhile: the next page is of the store's cursor.
        if !applied.hasMore, !applied.needsPullFromStart { return pulled }
      } catch {
        guard error.kind == .unauthorized else { throw error }
        try waitForToken(after: session, watcher, error)
      }
    }
  }

  private func session() throws(SyncFailure) -> Session {
    let session = try orStoreFailure { () throws(LocalStoreError) in try store.session() }
    guard let session else { throw SyncFailure(.notSignedIn, DeviceTexts.notSignedIn) }
    guard !session.isExpired else { throw SyncFailure(.unauthorized, DeviceTexts.sessionExpired) }
    return session
  }

  private func waitForToken(
    after session: Session, _ watcher: StoreWatcher?, _ failure: SyncFailure
  ) throws(SyncFailure) {
    while try self.session().accessToken == session.accessToken {
      guard let watcher, leftMilliseconds > 0, watcher.wait(milliseconds: leftMilliseconds) == .changed else {
        throw failure
      }
    }
  }

  private func page(_ session: Session) throws(SyncFailure) -> AppliedExchange {
    let batch = try orStoreFailure { () throws(LocalStoreError) in
      try store.nextBatch(BatchSelection(lane: .routine, maximumItems: 0, maximumBytes: 0))
    }
    guard batch.accountID == session.accountID else { throw SyncFailure(.notSignedIn, DeviceTexts.notSignedIn) }
    let body = SyncRequestWriter.body(
      deviceID: batch.deviceID, cursor: batch.cursor, newestCursor: batch.newestCursor, mutations: [],
      notifications: [], limit: Self.changeLimit, sentAt: DeviceClock.now().wall)
    let response = try ask(body, session.accessToken)
    let applied = try orStoreFailure { () throws(LocalStoreError) in
      try store.apply(response, to: batch, at: DeviceClock.now())
    }
    guard !applied.hasMore || !response.changes.isEmpty || response.cursor != batch.cursor else {
      throw SyncFailure(.serverError, DeviceTexts.unconfirmed)
    }
    return applied
  }

  /// Asks the first server that can be reached and knows this device. One that does not may be the wrong one; else the token is over, and some
  /// time is left to wait for another.
  private func ask(_ body: [UInt8], _ token: String) throws(SyncFailure) -> SyncResponse {
    let configuration = try orStoreFailure { () throws(LocalStoreError) in try Configuration.load(store.home) }
    let endpoints = configuration.endpoints
    var failure = SyncFailure(.notConfigured, DeviceTexts.noServer)
    var refusal: SyncFailure?
    for (index, endpoint) in endpoints.enumerated() {
      let milliseconds = leftMilliseconds / Int64(endpoints.count - index + (refusal == nil ? 0 : 1))
      guard milliseconds > 0 else { throw refusal ?? SyncFailure(.timeout, DeviceTexts.noTimeLeft) }
      let calls = AccountCalls(
        endpoint: endpoint, certificateAuthorityFile: configuration.certificateAuthorityFile,
        totalTimeoutMilliseconds: Int(milliseconds), caller: caller)
      do throws(AccountCallError) {
        return try calls.exchange(body, token: token)
      } catch {
        failure = error.syncFailure
        guard !failure.isRevoked else { throw failure }
        if failure.kind == .unauthorized { refusal = refusal ?? failure }
      }
    }
    throw refusal ?? failure
  }

  private func orStoreFailure<Value>(
    _ work: () throws(LocalStoreError) -> Value
  ) throws(SyncFailure) -> Value {
    do throws(LocalStoreError) {
      return try work()
    } catch {
      throw SyncFailure(.store, error.message)
    }
  }
}
