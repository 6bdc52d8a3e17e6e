package import LocalStore
package import Model

/// What the planner has to know of the device when it decides: no secrets, no rows.
package struct Situation: Hashable, Sendable {
  package var credentials: Credentials
  package var emergency: LaneState
  package var routine: LaneState
  package var hasActiveAlert: Bool
  /// The server's time, as well as it is known; nil until it was ever measured.
  package var serverNow: Timestamp?

  package enum Credentials: Hashable, Sendable {
    /// Not signed in.
    case none
    /// The session has expired: alerts may still go.
    case alertKey
    case session(accessExpiresAt: Timestamp)
  }

  package init(
    credentials: Credentials, emergency: LaneState = LaneState(), routine: LaneState = LaneState(),
    hasActiveAlert: Bool = false, serverNow: Timestamp? = nil
  ) {
    self.credentials = credentials
    self.emergency = emergency
    self.routine = routine
    self.hasActiveAlert = hasActiveAlert
    self.serverNow = serverNow
  }

  /// Whether somebody waits for help, or help for news.
  package var isUrgent: Bool { hasActiveAlert || emergency.count > 0 }

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
