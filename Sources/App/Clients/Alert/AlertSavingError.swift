/// An error of raising or ending an alert that knows what became of it.
///
/// A client of one's own throws errors that conform, so that a feature can tell an alert that nobody has from one that the server
/// took although this device could not save it. An error that does not conform, or gives nil, counts as not saved, and the feature
/// says so before the error's own words.
public protocol AlertSavingError: Error {
  /// What became of it, which the error's own words say too; nil where the error is about something else.
  var savingFailure: AlertSavingFailure? { get }
}

/// What became of an alert, or of its end, that a device could not save.
public enum AlertSavingFailure: Hashable, Sendable {
  /// Nobody has it.
  case notSaved
  /// The server has it, sent from memory.
  case sentNotSaved
}
