import Glibc
import LocalStore
import Model
import SQLiteKit
import SystemKit
import TestSupport
import Wire

/// A device for one test: a folder that is removed with this value, ids that count up, and a clock that the test sets.
final class Device: Sendable {
  private let folder = ScratchFolder(in: ScratchFolder.onDisk)
  private let counter = Lock<UInt64>(0)
  private let clock = Lock(Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), monotonicMilliseconds: 5000))

  var home: HomeDirectory { HomeDirectory(path: folder.path) }

  /// One second later at each read.
  var now: Moment {
    clock.withLock { moment in
      moment.wall = moment.wall.advanced(byMilliseconds: 1000)
      moment.monotonicMilliseconds += 1000
      return moment
    }
  }

  func setClock(byMilliseconds milliseconds: Int64) {
    clock.withLock { $0.wall = $0.wall.advanced(byMilliseconds: milliseconds) }
  }

  var options: StoreOptions {
    StoreOptions(
      random: { [self] in
        counter.withLock { count in
          count += 1
          return (count, count)
        }
      },
      lockTimeoutMilliseconds: 5000
    )
  }

  func open(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> LocalStore {
    var options = options
    change(&options)
    return try LocalStore.open(home, options: options, at: now)
  }

  /// A store that is signed in, with an active alert that the server has.
  func openWithAlert(_ message: String) throws -> (store: LocalStore, alert: Alert) {
    let store = try open()
    try store.signIn(.of(1), at: now)
    let alert = try store.activateAlert(AlertDraft(message: message), at: now).alert
    try store.exchange(.emergency, at: now)
    return (store, alert)
  }

  /// Opens the file directly, without the store.
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try Connection(path: home.databasePath)
    defer { connection.close() }
    return try body(connection)
  }

  var names: [String] { listFolder(home.path) }
}

func permissions(_ path: String) -> mode_t? {
  var status = stat()
  return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}

extension ContactDetails {
  static func named(_ name: String, isResponder: Bool = true) throws -> ContactDetails {
    try ContactDetails(
      name: name, phone: "+12025550123", isResponder: isResponder, isDependent: false,
      channels: [Channel("https://example.org/hook"), Channel("ntfy://ntfy.example.org/topic")])
  }
}

extension Session {
  static func of(_ number: UInt64, phone: String = "+12025550199") -> Session {
    Session(
      accountID: AccountID(versionSevenAt: Timestamp(milliseconds: 1), random: (number, number)),
      phone: phone, accessToken: "access", refreshToken: "refresh",
      accessExpiresAt: Timestamp(milliseconds: 1_790_000_900_000), alertKey: "key")
  }
}

extension BatchSelection {
  static func all(_ lane: Lane) -> BatchSelection {
    BatchSelection(lane: lane, maximumItems: 500, maximumBytes: 512 * 1024)
  }
}

/// Answers of a server.
extension SyncResponse {
  static let serverTime = Timestamp(milliseconds: 1_790_000_100_000)

  /// Applies the whole batch.
  static func accepting(
    _ batch: Batch, changes: [Change] = [], epoch: String = "one", cursor: String = "c1", hasMore: Bool = false,
    newestCursor: String? = nil
  ) -> SyncResponse {
    let ids = batch.mutations.map(\.id.description) + batch.notifications.map(\.id.description)
    return SyncResponse(
      results: ids.map { ItemResult(id: $0, status: .applied, appliedAt: serverTime) }, changes: changes,
      cursor: cursor, hasMore: hasMore, newestCursor: newestCursor, epoch: epoch, serverTime: serverTime)
  }

  /// Refuses the first mutation, and has no result for the rest.
  static func refusing(_ batch: Batch, code: String = "invalid_body") -> SyncResponse {
    let first = batch.mutations.first.map { [ItemResult(id: $0.id.description, status: .rejected, code: code)] }
    return SyncResponse(
      results: first ?? [], changes: [], cursor: "c1", hasMore: false, epoch: "one", serverTime: serverTime)
  }
}

extension AlertRecord {
  static func of(_ alert: Alert, ordinal: Int64 = 1, endedAt: Timestamp? = nil) -> AlertRecord {
    AlertRecord(
      alert: Alert(
        id: alert.id, startedAt: alert.startedAt, endedAt: endedAt, message: alert.message, location: alert.location,
        isDrill: alert.isDrill),
      ordinal: ordinal, receivedAt: SyncResponse.serverTime,
      endReceivedAt: endedAt == nil ? nil : SyncResponse.serverTime)
  }
}

extension LocalStore {
  /// Runs one exchange in which the server accepts everything in the lane.
  @discardableResult
  func exchange(
    _ lane: Lane, changes: [Change] = [], epoch: String = "one", cursor: String = "c1", hasMore: Bool = false,
    at moment: Moment
  ) throws -> AppliedExchange {
    let batch = try nextBatch(.all(lane))
    return try apply(
      .accepting(batch, changes: changes, epoch: epoch, cursor: cursor, hasMore: hasMore), to: batch, at: moment)
  }
}

extension LocalStore {
  /// Signs out with nothing between the agreement and the end.
  func signOut(
    discardPending: Bool, at moment: Moment = Moment(wall: Timestamp(milliseconds: 0), monotonicMilliseconds: 0)
  )
    throws
  {
    let agreement = try signOutAgreement(at: moment)
    let accepted = discardPending ? agreement : agreement.keepingQueue
    try finishSignOut(of: try beginSignOut(accepted, at: moment), accepted)
  }
}
