/// What waits, in turns: each key has one element in a round, however many it has brought. What is urgent goes first, and leaves
/// every fourth place to the rest.
///
/// A value without a clock or a lock.
struct TurnQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  private var urgent = Round()
  private var routine = Round()
  private var urgentInRow = 0
  private(set) var count = 0

  /// Behind all of its key, and of its haste.
  mutating func push(_ element: Element, key: Key, isUrgent: Bool) {
    if isUrgent { urgent.push(element, key) } else { routine.push(element, key) }
    count += 1
  }

  /// What `pop` would give.
  var peek: Element? { takesRoutine ? routine.peek : urgent.peek }

  private var takesRoutine: Bool { urgent.isEmpty || (urgentInRow >= 3 && !routine.isEmpty) }

  mutating func pop() -> Element? {
    let takesRoutine = takesRoutine
    urgentInRow = takesRoutine ? 0 : urgentInRow + 1
    guard let element = takesRoutine ? routine.pop() : urgent.pop() else { return nil }
    count -= 1
    return element
  }

  private struct Round: Sendable {
    /// Each key that has something, the one whose turn it is in front.
    private var keys: ArraySlice<Key> = []
    private var waiting: [Key: ArraySlice<Element>] = [:]

    var isEmpty: Bool { keys.isEmpty }

    var peek: Element? { keys.first.flatMap { waiting[$0]?.first } }

    mutating func push(_ element: Element, _ key: Key) {
      if waiting[key] == nil { keys.append(key) }
      waiting[key, default: []].append(element)
    }

    mutating func pop() -> Element? {
      guard let key = keys.popFirst(), let element = waiting[key]?.popFirst() else { return nil }
      if waiting[key]?.isEmpty == true {
        waiting[key] = nil
      } else {
        keys.append(key)
      }
      return element
    }
  }
}
