import LifeSignalFeatures

extension Send {
  /// Sends `action` unless the effect was cancelled by then, as those here are as a matter of course.
  func unlessCancelled(_ action: Action) {
    guard !Task.isCancelled else { return }
    self(action)
  }
}
