/// The tasks of one store's effects: which of them run, and what cancels them.
@MainActor
final class EffectTasks {
  private struct Running {
    let task: Task<Void, Never>
    let ids: [EffectID]
    let flights: [Flight]
    let isUncancellable: Bool

    func cancel() { if !isUncancellable { task.cancel() } }
  }

  private var running: [Int: Running] = [:]
  private var keysByID: [EffectID: Set<Int>] = [:]
  private var lastKey = 0

  var count: Int { running.count }

  /// Keeps account of the task that `make` makes; it calls `end` with the key that `make` was given. Gives that key.
  ///
  /// - Parameters:
  ///   - ids: what cancels it.
  ///   - flights: those who wait for it.
  ///   - isUncancellable: nothing but the end of the store cancels it.
  func begin(
    ids: [EffectID], flights: [Flight], isUncancellable: Bool, _ make: (Int) -> Task<Void, Never>
  ) -> Int {
    lastKey += 1
    let key = lastKey
    for flight in flights { flight.begin(key) }
    for id in ids { keysByID[id, default: []].insert(key) }
    running[key] = Running(task: make(key), ids: ids, flights: flights, isUncancellable: isUncancellable)
    return key
  }

  func end(_ key: Int) {
    guard let ended = running.removeValue(forKey: key) else { return }
    for id in ended.ids {
      keysByID[id]?.remove(key)
      if keysByID[id]?.isEmpty == true { keysByID[id] = nil }
    }
    for flight in ended.flights { flight.end(key) }
  }

  func cancel(_ id: EffectID) {
    for key in keysByID[id] ?? [] { running[key]?.cancel() }
  }

  func cancel(_ keys: [Int]) {
    for key in keys { running[key]?.cancel() }
  }

  /// Also those that nothing else cancels.
  func cancelAll() {
    for running in running.values { running.task.cancel() }
  }
}
