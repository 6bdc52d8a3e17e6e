import ServerCore
import SystemKit

/// Whether the store accepts writes, for `/ready`: tested by a write, at most once in five seconds.
final class StoreProof: Sendable {
  static let successMilliseconds: Int64 = 5000
  /// A failure is tested again sooner, so that a recovered store is used soon.
  static let failureMilliseconds: Int64 = 1000

  private struct State {
    var checkedAt: Int64?
    var failure: StorageError?
  }

  private let state = Lock(State())

  /// Nil if the store accepts writes. `write` makes a small one; concurrent callers wait for its result.
  func failure(at now: Int64, write: () throws -> Void) -> StorageError? {
    state.withLock { state in
      if let checkedAt = state.checkedAt {
        let validity = state.failure == nil ? Self.successMilliseconds : Self.failureMilliseconds
        if now - checkedAt < validity { return state.failure }
      }
      state.checkedAt = now
      do {
        try write()
        state.failure = nil
      } catch {
        state.failure = error as? StorageError ?? StorageError(.internalError, "an unexpected error in the store")
      }
      return state.failure
    }
  }

  /// A request failed at the store: the next call tests it by a write.
  func forget() {
    state.withLock { state in
      if state.failure == nil { state.checkedAt = nil }
    }
  }
}

extension StorageError {
  /// Why the store accepts no writes, for an operator's probe. Names no path and no person.
  var readinessText: String {
    switch code {
    case .diskFull: "alerts cannot be stored: the disk is full"
    case .readOnly: "alerts cannot be stored: the database is read-only"
    case .fileLost: "alerts cannot be stored: the database file was removed, replaced or cut"
    case .damaged: "alerts cannot be stored: the database is damaged"
    case .inputOutput: "alerts cannot be stored: the disk fails"
    case .cannotOpen: "alerts cannot be stored: the database cannot be opened"
    case .busy, .newerSchema, .networkFilesystem, .internalError: "alerts cannot be stored"
    }
  }
}
