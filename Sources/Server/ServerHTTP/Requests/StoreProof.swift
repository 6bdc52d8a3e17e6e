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

    /// The last result, if it is recent. Otherwise the caller tests the store: a failure that is noted meanwhile has it tested again.
    mutating func known(at now: Int64) -> StorageError?? {
      let validity = failure == nil ? StoreProof.successMilliseconds : StoreProof.failureMilliseconds
      if let checkedAt, now - checkedAt < validity { return .some(failure) }
      checkedAt = now
      return nil
    }
  }

  private let state = Lock(State())

  /// Nil if the store accepts writes. `write` makes a small one, which may take seconds. For one thread.
  /// - Parameter recovered: called where it accepts writes after it had not.
  func failure(at now: Int64, write: () throws -> Void, recovered: () -> Void = {}) -> StorageError? {
    if let known = state.withLock({ $0.known(at: now) }) { return known }
    var failure: StorageError?
    do {
      try write()
    } catch {
      failure = error as? StorageError ?? StorageError(.internalError, "an unexpected error in the store")
    }
    let before = state.withLock { state in
      defer { state.failure = failure }
      return state.failure
    }
    if before != nil, failure == nil { recovered() }
    return failure
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
    case .unreachable: "alerts cannot be stored: the database cannot be reached"
    case .cannotOpen: "alerts cannot be stored: the database cannot be opened"
    case .busy, .newerSchema, .networkFilesystem, .unreadableValue, .internalError: "alerts cannot be stored"
    }
  }
}
