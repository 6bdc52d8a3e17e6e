/// One of the two configured endpoints.
package enum Endpoint: Hashable, Sendable {
  case first, second
}

/// Chooses between the endpoints, which are two URLs of one service.
///
/// Routine traffic uses the first endpoint. In an emergency the second is tried after the first has failed twice in a
/// row (once in a run that does not retry); then they alternate until one works. Any success on the first switches back
/// to it.
struct EndpointChoice: Hashable, Sendable {
  private(set) var hasSecond: Bool
  private let failuresBeforeSecond: Int
  private var current = Endpoint.first
  private var failuresOfFirst = 0

  init(hasSecond: Bool, failuresBeforeSecond: Int) {
    self.hasSecond = hasSecond
    self.failuresBeforeSecond = failuresBeforeSecond
  }

  func endpoint(isUrgent: Bool) -> Endpoint { isUrgent && hasSecond ? current : .first }

  mutating func failed(_ endpoint: Endpoint, isUrgent: Bool) {
    guard isUrgent, hasSecond else { return }
    switch endpoint {
    case .first:
      failuresOfFirst += 1
      if failuresOfFirst >= failuresBeforeSecond { current = .second }
    case .second: current = .first
    }
  }

  mutating func succeeded(_ endpoint: Endpoint) {
    guard endpoint == .first else { return }
    reset()
  }

  /// Goes back to the first endpoint: on another network it may work again.
  mutating func reset() {
    current = .first
    failuresOfFirst = 0
  }
}
