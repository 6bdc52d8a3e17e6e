/// A sleep on a ``TestClock``.
struct TestClockSleeper {
  let id: Int
  let deadline: VirtualInstant
  let scheduler: EffectScheduler?
  let continuation: CheckedContinuation<Void, any Error>
}

/// The state of a ``TestClock``. It resumes no continuation: that must happen outside of the lock.
struct TestClockState {
  var now: VirtualInstant
  /// The schedulers of all sleepers so far, because a woken task may sleep again.
  private(set) var schedulers: [EffectScheduler] = []
  /// Whether a task without a scheduler has ever slept on this clock.
  private(set) var hasUnscheduledSleepers = false
  /// Sorted by deadline, then by arrival.
  private var sleepers: [TestClockSleeper] = []
  private var lastSleeperID = 0

  init(now: VirtualInstant) {
    self.now = now
  }

  var sleeperCount: Int { sleepers.count }
  var nextDeadline: VirtualInstant? { sleepers.first?.deadline }

  mutating func makeSleeperID() -> Int {
    lastSleeperID += 1
    return lastSleeperID
  }

  mutating func add(_ sleeper: TestClockSleeper) {
    let index = sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? sleepers.endIndex
    sleepers.insert(sleeper, at: index)
    guard let scheduler = sleeper.scheduler else { return hasUnscheduledSleepers = true }
    if !schedulers.contains(where: { $0 === scheduler }) { schedulers.append(scheduler) }
  }

  mutating func removeSleeper(_ id: Int) -> TestClockSleeper? {
    guard let index = sleepers.firstIndex(where: { $0.id == id }) else { return nil }
    return sleepers.remove(at: index)
  }

  /// Removes the first sleeper whose deadline is at most `deadline`, and sets the time to the sleeper's deadline.
  mutating func takeNextSleeper(until deadline: VirtualInstant) -> TestClockSleeper? {
    guard let first = sleepers.first, first.deadline <= deadline else { return nil }
    now = max(now, first.deadline)
    return sleepers.removeFirst()
  }
}
