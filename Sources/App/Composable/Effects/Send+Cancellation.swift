extension Send {
  /// Sends `action` unless the effect was cancelled by then, which is then nothing to tell of.
  ///
  /// For effects that are cancelled while they run as a matter of course: the check and the send are one step of the main
  /// actor, so that no cancellation comes between them.
  package func unlessCancelled(_ action: Action) {
    guard !Task.isCancelled else { return }
    self(action)
  }
}
