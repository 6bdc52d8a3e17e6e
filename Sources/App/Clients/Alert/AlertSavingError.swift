/// An error of raising or ending an alert that knows whether the server has it.
///
/// Your own client should throw errors that conform, so that a feature can distinguish an alert that nobody has from one that the server
/// accepted although this device could not save it. An error that does not conform, or gives nil, counts as not saved, and the
/// feature says so before the error's message.
public protocol AlertSavingError: Error {
  /// Whether the server has it; nil if the error is about something else. The error's message says it too.
  var savingFailure: AlertSavingFailure? { get }
}

/// Whether the server has an alert, or its end, that a device could not save.
public enum AlertSavingFailure: Hashable, Sendable {
  /// Nobody has it.
  case notSaved
  /// The server has it, sent from memory.
  case sentNotSaved
}
