/// A binary heap: the least element first, in O(log n) for each change.
///
/// Of equal elements none is known to come first: whoever needs an order gives each element a number of its own.
///
/// Inlined into other modules, and so specialized for their elements.
@usableFromInline
package struct Heap<Element: Comparable> {
  @usableFromInline var elements: [Element] = []

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { elements.isEmpty }
  @inlinable package var count: Int { elements.count }
  /// The least element.
  @inlinable package var first: Element? { elements.first }

  @inlinable package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the least element.
  @discardableResult @inlinable
  package mutating func popFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return first }
    elements[0] = last
    sink()
    return first
  }

  @inlinable mutating func sink() {
    var parent = 0
    while true {
      let (left, right) = (2 * parent + 1, 2 * parent + 2)
      var least = parent
      if left < elements.count, elements[left] < elements[least] { least = left }
      if right < elements.count, elements[right] < elements[least] { least = right }
      guard least != parent else { return }
      elements.swapAt(parent, least)
      parent = least
    }
  }
}

extension Heap: Sendable where Element: Sendable {}
