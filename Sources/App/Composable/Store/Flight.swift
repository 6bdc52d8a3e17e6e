/// The tasks that follow one action or one step of a concatenation. They are awaited and cancelled together.
@MainActor
final class Flight {
  private let tasks: EffectTasks
  /// The keys of the tasks that have not ended: usually one.
  private var keys: [Int] = []
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ tasks: EffectTasks) { self.tasks = tasks }

  var isEmpty: Bool { keys.isEmpty }

  func begin(_ key: Int) { keys.append(key) }

  func end(_ key: Int) {
    if let index = keys.firstIndex(of: key) { keys.remove(at: index) }
    guard keys.isEmpty, !waiting.isEmpty else { return }
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume() }
  }

  /// Returns when all of the tasks have ended.
  func finish() async {
    while !keys.isEmpty {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func cancel() { tasks.cancel(keys) }
}
