package import Model

/// One `POST /v1/sync` as the planner decides it.
package struct Exchange: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    case push(Lane)
    /// Nothing to send, only to fetch; urgent while an alert is active.
    case pull(isUrgent: Bool)
    /// Nothing to send: shows whether a request as such is taken, before the lane's one item is held to be the fault.
    case probe(Lane)

    /// Whose bounds of time and delay hold for it.
    package var lane: Lane {
      switch self {
      case .push(let lane), .probe(let lane): lane
      case .pull(let isUrgent): isUrgent ? .emergency : .routine
      }
    }
  }

  package var purpose: Purpose
  package var endpoint: Endpoint
  /// The session has expired, or cannot be refreshed now.
  package var usesAlertKey: Bool
  /// Of a push.
  package var limits: BatchLimits
  /// How many changes the answer may bring: of an alert the fewest that a server grants, else few where a long answer would
  /// take long.
  package var changeLimit: Int

  package var isEmergency: Bool { purpose == .push(.emergency) || purpose == .probe(.emergency) }

  package var lane: Lane { purpose.lane }
}

/// The one request that is in flight, besides the event stream.
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
