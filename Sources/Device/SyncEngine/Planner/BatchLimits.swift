package import Model

/// How much one request of a lane may hold now: halved when somebody finds it too large, grown back afterwards.
package struct BatchLimits: Hashable, Sendable {
  /// Of mutations. An alert's mutation takes its notification request along, uncounted: the two are one.
  package private(set) var maximumItems: Int
  package internal(set) var maximumBytes: Int
  /// One item of any kind: even an alert and its notification request go one after the other.
  package private(set) var isSingleItem = false
  private var ceiling: Size
  private let full: Size

  private struct Size: Hashable, Sendable {
    var items: Int
    var bytes: Int
    var isSingleItem = false
  }

  /// Why a request was too much.
  package enum Excess: Hashable, Sendable {
    /// It took too long. That never parts an alert from its notification request: they are small, and every exchange more is
    /// one that may not arrive.
    case tooSlow
    /// Somebody on the way does not let so much through: it stays so.
    case tooLarge
    /// An item in it is suspected; the size itself is not the fault.
    case suspicious
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

  /// The request with `items`, mutations and notification requests together, and `bytes` was too much.
  package mutating func halve(items: Int, bytes: Int, _ excess: Excess) {
    let isSmallest = items <= 2 || maximumItems == 1
    maximumItems = max(1, min(items, maximumItems) / 2)
    maximumBytes = max(1024, min(bytes, maximumBytes) / 2)
    if isSmallest && excess != .tooSlow { isSingleItem = true }
    if excess == .tooLarge {
      ceiling = Size(items: maximumItems, bytes: maximumBytes, isSingleItem: isSingleItem)
    }
  }

  /// A request was taken.
  package mutating func grow() {
    maximumItems = min(ceiling.items, maximumItems * 2)
    maximumBytes = min(ceiling.bytes, maximumBytes * 2)
    isSingleItem = ceiling.isSingleItem
  }

  /// Another network, or another day: the bound may be gone.
  package mutating func reset() {
    self = Self(items: full.items, bytes: full.bytes)
  }
}
