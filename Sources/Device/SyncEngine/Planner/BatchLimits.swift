package import Model

/// The current size limits of one request of a lane: halved when a request is too large, then grown back.
package struct BatchLimits: Hashable, Sendable {
  /// The maximum number of mutations. An alert's notification request travels with its mutation and is not counted.
  package private(set) var maximumItems: Int
  package internal(set) var maximumBytes: Int
  /// Send one item of any kind: even an alert and its notification request go in separate requests.
  package private(set) var isSingleItem = false
  private var ceiling: Size
  private let full: Size

  private struct Size: Hashable, Sendable {
    var items: Int
    var bytes: Int
    var isSingleItem = false
  }

  /// Why a request was too large.
  package enum Excess: Hashable, Sendable {
    /// It timed out. This never separates an alert from its notification request: both are small, and each extra exchange is
    /// one more that can fail.
    case tooSlow
    /// The server or something on the path rejects this size, and will again.
    case tooLarge
    /// One of its items may be at fault, not the size.
    case suspicious
  }

  package static func of(_ lane: Lane, _ sizes: ExchangeSizes = .usual) -> Self {
    switch lane {
    case .emergency: Self(items: 50, bytes: 64 << 10)
    case .routine: Self(items: sizes.items, bytes: sizes.bytes)
    }
  }

  private init(items: Int, bytes: Int) {
    full = Size(items: items, bytes: bytes)
    ceiling = full
    maximumItems = items
    maximumBytes = bytes
  }

  /// Halves the limits after a request with `items` (mutations plus notification requests) and `bytes` was too large.
  package mutating func halve(items: Int, bytes: Int, _ excess: Excess) {
    let isSmallest = items <= 2 || maximumItems == 1
    maximumItems = max(1, min(items, maximumItems) / 2)
    maximumBytes = max(1024, min(bytes, maximumBytes) / 2)
    if isSmallest && excess != .tooSlow { isSingleItem = true }
    if excess == .tooLarge {
      ceiling = Size(items: maximumItems, bytes: maximumBytes, isSingleItem: isSingleItem)
    }
  }

  /// Grows the limits after a request was accepted.
  package mutating func grow() {
    maximumItems = min(ceiling.items, maximumItems * 2)
    maximumBytes = min(ceiling.bytes, maximumBytes * 2)
    isSingleItem = ceiling.isSingleItem
  }

  /// Whether they will not grow.
  var isFullyGrown: Bool {
    maximumItems == ceiling.items && maximumBytes == ceiling.bytes && isSingleItem == ceiling.isSingleItem
  }

  /// Restores the initial limits, for example on another network.
  package mutating func reset() {
    self = Self(items: full.items, bytes: full.bytes)
  }
}
