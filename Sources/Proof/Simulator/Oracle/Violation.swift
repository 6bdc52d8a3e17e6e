/// A promise that was broken, as seen from outside of the engine.
package struct Violation: Hashable, Sendable {
  /// The promises of the design, by their numbers there.
  package enum Promise: String, Hashable, Sendable, CaseIterable {
    /// Told "saved" means durable on that device.
    case durable = "I1"
    /// An alert's row and its queued mutation stand or fall together.
    case whole = "I2"
    /// One effect on the server for each mutation id.
    case once = "I3"
    /// Devices of one account converge.
    case convergence = "I4"
    /// Every alert ends accepted or visibly not; nothing queued is deleted by the program alone; responders hear of it.
    case nothingLost = "I5"
    /// An ended alert never becomes active again, and "safe now" never overtakes "help".
    case order = "I6"
    /// No account sees or changes another's data.
    case apart = "I7"
    /// The log, memory and traffic stay bounded.
    case bounded = "I8"
    /// After a call for help the newest word to the responders is "help", and carries what was pressed last, unless somebody
    /// ended it who had seen that.
    case lastWord = "I10"
    /// An emergency is never slower than twice the same alert alone on the same path.
    case inTime = "I14"
  }

  package let promise: Promise
  /// What was seen, with the ids that name it in the trace.
  package let text: String
  /// Virtual milliseconds since the run began.
  package let at: Int64

  package init(_ promise: Promise, _ text: String, at: Int64) {
    self.promise = promise
    self.text = text
    self.at = at
  }
}
