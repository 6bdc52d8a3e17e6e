/// A broken promise, as seen from outside of the engine.
package struct Violation: Hashable, Sendable {
  /// The promises, with their numbers in `WhatWePromise.md`.
  package enum Promise: String, Hashable, Sendable, CaseIterable {
    /// "Saved" means durable on that device.
    case durable = "I1"
    /// An alert's row and its queued mutation exist together or not at all.
    case whole = "I2"
    /// Each mutation id takes effect once on the server.
    case once = "I3"
    /// Devices of one account converge.
    case convergence = "I4"
    /// Every alert is accepted or visibly not; nothing queued is deleted unless a person or the server's answer says so;
    /// responders are told.
    case nothingLost = "I5"
    /// An ended alert never becomes active again, and "safe now" never overtakes "help".
    case order = "I6"
    /// No account sees or changes another's data.
    case apart = "I7"
    /// Log, memory and traffic stay bounded.
    case bounded = "I8"
    /// After a call for help the newest message to the responders is "help" with the newest words, unless somebody ended the
    /// alert who had seen that call.
    case lastWord = "I10"
    /// While an alert is active and nobody has answered, no responder with a working channel goes longer than the schedule without being
    /// asked.
    case askedAgain = "I11"
    /// Nothing but a person's press makes a message "seen" or "acknowledged".
    case pressed = "I12"
    /// A drill and a real alert are never taken for each other.
    case drillsApart = "I13"
    /// An emergency takes at most twice as long as the same alert alone on the same path.
    case inTime = "I14"
    /// Heartbeats are rare only on a path that has carried such a quiet, and never while an alert is active.
    case newsInTime = "I15"
  }

  package let promise: Promise
  /// What was seen, with the ids to look for in the trace.
  package let text: String
  /// Virtual milliseconds since the run began.
  package let at: Int64

  package init(_ promise: Promise, _ text: String, at: Int64) {
    self.promise = promise
    self.text = text
    self.at = at
  }
}
