/// Which of the configured endpoints.
package enum Endpoint: Hashable, Sendable {
  case first, second
}

/// Chooses between the endpoints, which are two paths to one service.
///
/// Routine traffic keeps to the first. In an emergency, when the first has failed twice in a row (once, where there will be no
/// second time), the second is tried; then they alternate until one works. Whatever succeeds at the first goes back to it.
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

  /// Another network: the first may be there again.
  mutating func reset() {
    current = .first
    failuresOfFirst = 0
  }
}
