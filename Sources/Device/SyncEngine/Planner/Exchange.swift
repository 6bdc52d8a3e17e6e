package import Model

/// One `POST /v1/sync`, as the planner requests it.
package struct Exchange: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    case push(Lane)
    /// Fetches without sending; urgent while an alert is active.
    case pull(isUrgent: Bool)
    /// Sends an empty request to test whether requests work at all, before the lane's only item is blamed.
    case probe(Lane)

    /// The lane whose timeouts and backoff apply.
    package var lane: Lane {
      switch self {
      case .push(let lane), .probe(let lane): lane
      case .pull(let isUrgent): isUrgent ? .emergency : .routine
      }
    }
  }

  package var purpose: Purpose
  package var endpoint: Endpoint
  /// Authenticate with the alert key: the session has expired, or cannot be refreshed now.
  package var usesAlertKey: Bool
  /// The size limits of a push.
  package var limits: BatchLimits
  /// The maximum number of changes in the answer: the server's minimum for an alert, otherwise few on a slow path.
  package var changeLimit: Int

  package var isEmergency: Bool { purpose == .push(.emergency) || purpose == .probe(.emergency) }

  package var lane: Lane { purpose.lane }
}

/// A request in flight, besides the event stream.
package enum Call: Hashable, Sendable {
  case exchange(Exchange)
  case refresh(Endpoint)

  package var endpoint: Endpoint {
    switch self {
    case .exchange(let exchange): exchange.endpoint
    case .refresh(let endpoint): endpoint
    }
  }

  var exchange: Exchange? {
    if case .exchange(let exchange) = self { exchange } else { nil }
  }
}
