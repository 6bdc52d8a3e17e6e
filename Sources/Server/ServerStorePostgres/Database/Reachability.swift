import PostgresKit
import SystemKit

/// Whether the database could be reached at the last try, so that those who wait behind a try that failed do not wait for one of their own.
///
/// After a failure one caller at a time tries; all others fail at once, with the same error.
final class Reachability: Sendable {
  /// After a failure nobody tries for so long.
  static let pauseMilliseconds: Int64 = 500

  private struct State {
    var failure: PostgresError?
    var nextTryAt: Int64 = 0
    var isTrying = false
    var successes = 0
  }

  private let state = Lock(State())

  /// - Parameter now: by a monotonic clock.
  func attempt<Result>(
    _ now: () -> Int64, _ body: () throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    if let failure = begin(at: now()) { throw failure }
    let earlier = state.withLock { $0.successes }
    do throws(PostgresError) {
      let result = try body()
      state.withLock { $0 = State(successes: $0.successes + 1) }
      return result
    } catch {
      let end = now()
      state.withLock { state in
        // Somebody else has reached it since this try began.
        guard state.successes == earlier else { return }
        state = State(failure: error, nextTryAt: end + Self.pauseMilliseconds, successes: earlier)
      }
      throw error
    }
  }

  /// The failure to give instead of trying; nil if the caller is to try.
  private func begin(at now: Int64) -> PostgresError? {
    state.withLock { state in
      guard let failure = state.failure else { return nil }
      if state.isTrying || now < state.nextTryAt { return failure }
      state.isTrying = true
      return nil
    }
  }
}
