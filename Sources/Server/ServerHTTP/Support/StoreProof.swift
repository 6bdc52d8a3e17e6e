import ServerCore
import SystemKit

/// Whether the store takes writes, for `/ready`: shown by a write, at most one in five seconds however often it is asked.
final class StoreProof: Sendable {
  static let successMilliseconds: Int64 = 5000
  /// A failure is looked into again sooner, so that a store that recovered is used soon.
  static let failureMilliseconds: Int64 = 1000

  private struct State {
    var checkedAt: Int64?
    var failure: StorageError?
  }

  private let state = Lock(State())

  /// Nil where the store takes writes. `write` makes a small one; those who ask meanwhile wait for it.
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

  /// A request failed at the store: the next question is answered by a write.
  func forget() {
    state.withLock { state in
      if state.failure == nil { state.checkedAt = nil }
    }
  }
}

extension StorageError {
  /// Why the store takes no writes, for an operator's probe: nothing that names a path or a person.
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
