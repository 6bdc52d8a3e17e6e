/// The tasks that follow one action or one step of a concatenation. They are awaited and cancelled together.
@MainActor
final class Flight {
  private let tasks: EffectTasks
  /// The first of the tasks that have not ended, by its key; 0 if it has ended. Usually there is only this one, and no array.
  private var firstKey = 0
  /// The other tasks that have not ended.
  private var otherKeys: [Int] = []
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ tasks: EffectTasks) { self.tasks = tasks }

  var isEmpty: Bool { firstKey == 0 && otherKeys.isEmpty }

  func begin(_ key: Int) {
    if isEmpty { firstKey = key } else { otherKeys.append(key) }
  }

  func end(_ key: Int) {
    if firstKey == key {
      firstKey = 0
    } else if let index = otherKeys.firstIndex(of: key) {
      otherKeys.remove(at: index)
    }
    guard isEmpty, !waiting.isEmpty else { return }
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume() }
  }

  /// Returns when all of the tasks have ended.
  func finish() async {
    while !isEmpty {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func cancel() { tasks.cancel(firstKey == 0 ? otherKeys : [firstKey] + otherKeys) }
}
