/// A round-robin queue: each key gets one element a round, however many it has. Urgent elements go first, but every fourth place is
/// for the others. Elements that share a place with an earlier one do not count.
///
/// A value without a clock or a lock.
struct TurnQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  private var urgent = Round()
  private var routine = Round()
  private var urgentInRow = 0
  private(set) var count = 0

  /// Adds the element behind others of its key and priority.
  mutating func push(_ element: Element, key: Key, isUrgent: Bool) {
    if isUrgent { urgent.push(element, key) } else { routine.push(element, key) }
    count += 1
  }

  mutating func pop() -> Element? {
    let takesRoutine = urgent.isEmpty || (urgentInRow >= 3 && !routine.isEmpty)
    urgentInRow = takesRoutine ? 0 : urgentInRow + 1
    return take(isUrgent: !takesRoutine)
  }

  /// The next element, urgent ones first, to share the place of the one that `pop` gave; nil if `condition` does not hold for it.
  mutating func popToShare(where condition: (Element) -> Bool) -> Element? {
    let isUrgent = !urgent.isEmpty
    guard let next = isUrgent ? urgent.peek : routine.peek, condition(next) else { return nil }
    return take(isUrgent: isUrgent)
  }

  private mutating func take(isUrgent: Bool) -> Element? {
    guard let element = isUrgent ? urgent.pop() : routine.pop() else { return nil }
    count -= 1
    return element
  }

  private struct Round: Sendable {
    /// The keys that have elements, the next one first.
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
