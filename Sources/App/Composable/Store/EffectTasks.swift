/// The running tasks of one store's effects, by the ids that cancel them.
@MainActor
final class EffectTasks {
  private struct Running {
    let task: Task<Void, Never>
    let flight: Flight
    /// Nil for most tasks: it keeps the table of a hundred thousand of them small.
    let ties: Ties?

    func cancel() { if ties?.isUncancellable != true { task.cancel() } }
  }

  /// What cancels a task or waits for it, other than its flight.
  private final class Ties: Sendable {
    let ids: [EffectID]
    let steps: [Flight]
    let isUncancellable: Bool

    init(ids: [EffectID], steps: [Flight], isUncancellable: Bool) {
      (self.ids, self.steps, self.isUncancellable) = (ids, steps, isUncancellable)
    }
  }

  private var running: [Int: Running] = [:]
  private var keysByID: [EffectID: Set<Int>] = [:]
  private var lastKey = 0

  var count: Int { running.count }

  /// Registers the task that `make` makes, and returns its key. The task must call `end` with that key when it ends.
  ///
  /// - Parameters:
  ///   - ids: the ids that cancel the task.
  ///   - flight: the flight of the action that the task follows.
  ///   - steps: the steps of concatenations that also wait for the task.
  ///   - isUncancellable: whether only the end of the store cancels the task.
  func begin(
    ids: [EffectID], flight: Flight, steps: [Flight], isUncancellable: Bool, _ make: (Int) -> Task<Void, Never>
  ) -> Int {
    lastKey += 1
    let key = lastKey
    flight.begin(key)
    for step in steps { step.begin(key) }
    for id in ids { keysByID[id, default: []].insert(key) }
    let hasTies = isUncancellable || !ids.isEmpty || !steps.isEmpty
    running[key] = Running(
      task: make(key), flight: flight,
      ties: hasTies ? Ties(ids: ids, steps: steps, isUncancellable: isUncancellable) : nil)
    return key
  }

  func end(_ key: Int) {
    guard let ended = running.removeValue(forKey: key) else { return }
    if let ties = ended.ties { untie(key, from: ties.ids) }
    ended.flight.end(key)
    for step in ended.ties?.steps ?? [] { step.end(key) }
  }

  private func untie(_ key: Int, from ids: [EffectID]) {
    for id in ids {
      keysByID[id]?.remove(key)
      if keysByID[id]?.isEmpty == true { keysByID[id] = nil }
    }
  }

  func cancel(_ id: EffectID) {
    for key in keysByID[id] ?? [] { running[key]?.cancel() }
  }

  func cancel(_ keys: [Int]) {
    for key in keys { running[key]?.cancel() }
  }

  /// Cancels all tasks, including the uncancellable ones.
  func cancelAll() {
    for running in running.values { running.task.cancel() }
  }
}
