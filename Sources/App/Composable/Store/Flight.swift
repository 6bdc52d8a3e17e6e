/// The tasks that follow one action, or one step of a concatenation, to be waited for or cancelled together.
@MainActor
final class Flight {
  private let tasks: EffectTasks
  /// Those that have not ended. Mostly there is one.
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

  /// Returns when none of the tasks is left.
  func finish() async {
    while !keys.isEmpty {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func cancel() { tasks.cancel(keys) }
}
