extension AlertFeature {
  /// What kind of thing went wrong. Code decides by this, and a person reads the words of `State.error`.
  public enum Problem: Hashable, Sendable {
    /// The alert that was to be raised is not saved, and the server does not have it.
    case notSaved
    /// The alert that was to be raised is not saved on this device, and the server has it: help was called.
    case sentNotSaved
    /// The end of the alert could not be saved, and the server was not told.
    case endNotSaved
    /// The end of the alert could not be saved on this device, and the server was told.
    case endSentNotSaved
    /// What the person ended has ended, and another alert is active, or may be: it came since they looked.
    case stillActive
    /// What is new about the alert could not be saved, and nobody was told.
    case updateNotSaved
    /// What is new about the alert could not be saved on this device, and the server has it.
    case updateSentNotSaved
    /// It cannot be read whether an alert is active.
    case statusUnreadable
    /// The history cannot be read.
    case historyUnreadable
    /// Something that `setError` told.
    case other
  }
}
