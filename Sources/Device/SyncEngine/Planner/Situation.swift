package import LocalStore
package import Model

/// The device's state as the planner needs it: no secrets, no rows.
package struct Situation: Hashable, Sendable {
  package var credentials: Credentials
  package var emergency: LaneState
  package var routine: LaneState
  package var hasActiveAlert: Bool
  /// An alert of somebody else is active in this account's inbox.
  package var hasActiveInboxAlert: Bool
  /// The best estimate of the server's time; nil until it was measured once.
  package var serverNow: Timestamp?

  package enum Credentials: Hashable, Sendable {
    /// Not signed in.
    case none
    /// The session has ended: only alerts can be sent.
    case alertKey
    /// The server did not take the session, as if it had expired: only alerts can be sent until a refresh succeeds.
    case refused
    case session(accessExpiresAt: Timestamp)
  }

  package init(
    credentials: Credentials, emergency: LaneState = LaneState(), routine: LaneState = LaneState(),
    hasActiveAlert: Bool = false, hasActiveInboxAlert: Bool = false, serverNow: Timestamp? = nil
  ) {
    self.credentials = credentials
    self.emergency = emergency
    self.routine = routine
    self.hasActiveAlert = hasActiveAlert
    self.hasActiveInboxAlert = hasActiveInboxAlert
    self.serverNow = serverNow
  }

  /// Whether an alert is active or waits to be sent.
  package var isUrgent: Bool { hasActiveAlert || emergency.count > 0 }

  /// Whether the server's news must not be late: somebody waits for help, here or there.
  package var needsNewsSoon: Bool { isUrgent || hasActiveInboxAlert }

  package var hasSession: Bool {
    if case .session = credentials { true } else { false }
  }

  package func lane(_ lane: Lane) -> LaneState {
    switch lane {
    case .emergency: emergency
    case .routine: routine
    }
  }
}
