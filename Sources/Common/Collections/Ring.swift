/// Elements in turn: the one in front is served, and goes to the back.
package struct Ring<Element: Hashable> {
  private var elements: ArraySlice<Element> = []
  private var members: Set<Element> = []

  package init() {}

  package var isEmpty: Bool { members.isEmpty }
  package var count: Int { members.count }

  /// Adds `element` at the back, unless it is there.
  package mutating func insert(_ element: Element) {
    if members.insert(element).inserted { elements.append(element) }
  }

  /// Takes out the element in front.
  package mutating func popFirst() -> Element? {
    guard let element = elements.popFirst() else { return nil }
    members.remove(element)
    return element
  }
}

extension Ring: Sendable where Element: Sendable {}
