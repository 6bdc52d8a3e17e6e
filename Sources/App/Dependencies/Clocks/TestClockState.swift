/// One that waits for a moment on a ``TestClock``.
struct TestClockSleeper {
  let id: Int
  let deadline: VirtualInstant
  let scheduler: EffectScheduler?
  let continuation: CheckedContinuation<Void, any Error>
}

/// What a ``TestClock`` knows. It resumes nobody: that happens outside of the lock.
struct TestClockState {
  var now: VirtualInstant
  /// Those of everyone who ever slept here: one that was woken may sleep again.
  private(set) var schedulers: [EffectScheduler] = []
  /// Whether anyone ever slept here who is on no scheduler.
  private(set) var hasUnscheduledSleepers = false
  /// By deadline and, where that is the same, in the order of their coming.
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

  /// Takes out the first sleeper until `deadline`, and sets the time to its own.
  mutating func takeNextSleeper(until deadline: VirtualInstant) -> TestClockSleeper? {
    guard let first = sleepers.first, first.deadline <= deadline else { return nil }
    now = max(now, first.deadline)
    return sleepers.removeFirst()
  }
}
