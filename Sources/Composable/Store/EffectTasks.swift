/// The tasks of one store's effects: which of them run, and what cancels them.
@MainActor
final class EffectTasks {
  private struct Running {
    let task: Task<Void, Never>
    let ids: [EffectID]
    let flights: [Flight]
  }

  private var running: [Int: Running] = [:]
  private var keysByID: [EffectID: Set<Int>] = [:]
  private var lastKey = 0

  var count: Int { running.count }

  /// Keeps account of the task that `make` makes; it calls `end` with the key that `make` was given.
  ///
  /// - Parameters:
  ///   - ids: what cancels it.
  ///   - flights: those who wait for it.
  func begin(ids: [EffectID], flights: [Flight], _ make: (Int) -> Task<Void, Never>) {
    lastKey += 1
    let key = lastKey
    for flight in flights { flight.begin(key) }
    for id in ids { keysByID[id, default: []].insert(key) }
    running[key] = Running(task: make(key), ids: ids, flights: flights)
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
    for key in keysByID[id] ?? [] { running[key]?.task.cancel() }
  }

  func cancel(_ keys: [Int]) {
    for key in keys { running[key]?.task.cancel() }
  }

  func cancelAll() {
    for running in running.values { running.task.cancel() }
  }
}
