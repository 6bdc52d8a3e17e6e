import ServerCore
import ServerStoreSQLite
import StoreContract
import SystemKit
import TestSupport

/// The embedded store in its own file.
final class EmbeddedStore: StoreSubject {
  private let folder = ScratchFolder()
  private let opened: Lock<SQLiteServerStore>
  private let plans = Lock<[String: [String]]>([:])

  init() throws {
    opened = Lock(try SQLiteServerStore.open(path: folder.path + "/server.sqlite"))
  }

  deinit { file.close() }

  var file: SQLiteServerStore { opened.withLock { $0 } }
  var store: any ServerStore { file }

  func reopen() throws {
    _ = try queryPlans()
    file.close()
    let reopened = try SQLiteServerStore.open(path: folder.path + "/server.sqlite")
    opened.withLock { $0 = reopened }
  }

  /// The plan of every statement that was used so far, by its text.
  func queryPlans() throws -> [String: [String]] {
    let used = try file.queryPlans()
    return plans.withLock { plans in
      for plan in used { plans[plan.sql] = plan.lines }
      return plans
    }
  }
}
