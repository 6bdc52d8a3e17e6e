import ServerCore
import Synchronization
import SystemKit

/// The mailbox of the outbound loop, and its state for other threads.
final class OutboundInbox: Sendable {
  /// The result of a claim.
  struct Look: Sendable {
    var hasAttempts: Bool
    /// From now; nil if nothing waits. Not positive if more is due.
    var nextDueMilliseconds: Int64?
  }

  /// How many answers, the oldest first, were recorded in the store, or why they were not.
  struct Written: Sendable {
    var count: Int
    var failure: StorageError?
  }

  /// What the last steps of housekeeping removed, and why a part of it failed.
  struct Housekeeping: Sendable {
    var removed: RemovedRows
    /// What is left of the round.
    var unfinished: [HousekeepingPart]
    var failure: StorageError?
  }

  struct Content: Sendable {
    /// Attempts that are leased to this process and start now, if their leases still hold.
    var attempts: [LeasedAttempt] = []
    /// One-time codes, leased likewise.
    var codes: [CodeAttempt] = []
    /// The newest claim.
    var look: Look?
    var written: [Written] = []
    var housekeeping: Housekeeping?
    var isStopped = false
  }

  private let content = Lock(Content())
  private let pipe: WakePipe
  private let working = Atomic(true)
  private let attemptable = Atomic(false)
  /// How often the writer found that it had stood still.
  private let standstills = Atomic(0)
  /// How many of these the loop knows of.
  private let knownStandstills = Atomic(0)

  /// Nil where the process has no descriptor left.
  init?() {
    guard let pipe = WakePipe() else { return nil }
    self.pipe = pipe
  }

  /// Readable while messages wait. It outlives the transport, which may fail and be replaced.
  var descriptor: Int32 { pipe.descriptor }

  /// Messages can be sent. Set by the loop.
  var isWorking: Bool {
    get { working.load(ordering: .relaxed) }
    set { working.store(newValue, ordering: .relaxed) }
  }

  /// Whether attempts may be left here. Set by the loop; false too while it does not know of a standstill.
  var takesAttempts: Bool {
    get {
      // In this order: the loop forbids attempts before it says that it knows.
      knownStandstills.load(ordering: .sequentiallyConsistent) == standstills.load(ordering: .sequentiallyConsistent)
        && attemptable.load(ordering: .sequentiallyConsistent)
    }
    set { attemptable.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// The store, or this process, stood still: leases may have ended whose messages were sent.
  func noteStandstill() {
    standstills.add(1, ordering: .sequentiallyConsistent)
    pipe.wakeUp()
  }

  /// For the loop: whether there was a standstill that it did not know of. It lets no attempts be claimed before its answers are recorded.
  func takeStandstill() -> Bool {
    let count = standstills.load(ordering: .sequentiallyConsistent)
    guard knownStandstills.load(ordering: .sequentiallyConsistent) != count else { return false }
    takesAttempts = false
    knownStandstills.store(count, ordering: .sequentiallyConsistent)
    return true
  }

  /// Changes the content and wakes the loop.
  func post(_ change: @Sendable (inout Content) -> Void) {
    content.withLock { change(&$0) }
    pipe.wakeUp()
  }

  func take() -> Content {
    pipe.drain()
    return content.withLock { content in
      let taken = content
      content = Content(isStopped: content.isStopped)
      return taken
    }
  }

  /// Waits for a message, at most this long.
  func wait(milliseconds: Int64) {
    _ = pipe.wait(until: Deadline(millisecondsFromNow: Int(milliseconds)))
  }
}
