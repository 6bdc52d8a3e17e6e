package import Model

/// How much one request of a lane may hold now: halved when somebody finds it too large, grown back afterwards.
package struct BatchLimits: Hashable, Sendable {
  package private(set) var maximumItems: Int
  package private(set) var maximumBytes: Int
  private var ceiling: Size
  private let full: Size

  private struct Size: Hashable, Sendable {
    var items: Int
    var bytes: Int
  }

  package static func of(_ lane: Lane) -> Self {
    switch lane {
    case .emergency: Self(items: 50, bytes: 64 << 10)
    case .routine: Self(items: 500, bytes: 512 << 10)
    }
  }

  private init(items: Int, bytes: Int) {
    full = Size(items: items, bytes: bytes)
    ceiling = full
    maximumItems = items
    maximumBytes = bytes
  }

  /// The request with `items` and `bytes` was too much. `isKept`: it stays so, as for a proxy's bound; otherwise one item in
  /// it is suspected, and the size itself is not the fault.
  package mutating func halve(items: Int, bytes: Int, isKept: Bool) {
    maximumItems = max(1, min(items, maximumItems) / 2)
    maximumBytes = max(1024, min(bytes, maximumBytes) / 2)
    if isKept { ceiling = Size(items: maximumItems, bytes: maximumBytes) }
  }

  /// A request was taken.
  package mutating func grow() {
    maximumItems = min(ceiling.items, maximumItems * 2)
    maximumBytes = min(ceiling.bytes, maximumBytes * 2)
  }

  /// Another network, or another day: the bound may be gone.
  package mutating func reset() {
    self = Self(items: full.items, bytes: full.bytes)
  }
}
