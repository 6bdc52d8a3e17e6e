/// Elements in turn: the one in front is served, and goes to the back. Inlined like `Heap`.
@usableFromInline
package struct Ring<Element: Hashable> {
  @usableFromInline var elements: ArraySlice<Element> = []
  @usableFromInline var members: Set<Element> = []

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { members.isEmpty }
  @inlinable package var count: Int { members.count }

  /// Adds `element` at the back, unless it is there.
  @inlinable package mutating func insert(_ element: Element) {
    if members.insert(element).inserted { elements.append(element) }
  }

  /// Takes out the element in front.
  @inlinable package mutating func popFirst() -> Element? {
    guard let element = elements.popFirst() else { return nil }
    members.remove(element)
    return element
  }
}

extension Ring: Sendable where Element: Sendable {}
