import LifeSignalFeatures

extension ScreenFeature.State {
  /// The server has said nothing of the alert that is active.
  var isAlertUnsent: Bool { alert.isAlertActive && alert.delivery?.acceptedAt == nil && !isAlertInMemory }

  /// This device could not save the alert that is active, and sent it from memory.
  var isAlertInMemory: Bool { alert.isAlertActive && alert.delivery?.isSaved == false }

  /// The alert has ended, and something waits to be sent that may be its end.
  var isEndUnsent: Bool {
    guard !alert.isAlertActive, alert.alertEndTime != nil, let delivery = alert.delivery else { return false }
    return delivery.safeNotices.isEmpty && alert.connection.pendingCount > 0
  }

  /// What the server has not got, in words; nil where it has everything, as far as this device knows.
  var unsent: String? {
    let count = alert.connection.pendingCount
    if alert.isActivatingAlert { return ScreenTexts.beingSaved }
    if isAlertInMemory { return ScreenTexts.inMemory }
    if isAlertUnsent { return ScreenTexts.alertUnsent }
    if isEndUnsent { return ScreenTexts.endUnsent }
    return count > 0 ? ScreenTexts.waiting(count) : nil
  }

  /// What is to be said when the screen is gone; nil where there is nothing.
  package var farewell: String? {
    guard let unsent else {
      return alert.isAlertActive ? "\(ScreenTexts.stillActive) \(ScreenTexts.serverHasIt)" : nil
    }
    let isHeard = auth.isAuthenticated || alert.connection.isSessionExpired
    let words = isAlertUnsent ? ScreenTexts.stillActiveUnsent : unsent
    return "\(words) \(ScreenTexts.nothingSends(isHeard: isHeard))"
  }

  /// What is to be said when this program is stopped; nil where there is nothing.
  package var stopWords: String? { unsent.map { "\($0) \(ScreenTexts.whileStopped)" } }
}
