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
    if alert.isActivatingAlert { return "The alert is being saved, and the server does not have it." }
    if isAlertInMemory { return "The alert is active. It is NOT saved here: whether the server has it is not known." }
    if isAlertUnsent { return "The alert is active. It is saved here, and the server does not have it." }
    if isEndUnsent { return "The alert has ended. That is saved here, and the server does not know it yet." }
    return count > 0 ? "\(count) \(count == 1 ? "change is" : "changes are") saved here and not sent." : nil
  }

  /// What is to be said when the screen is gone; nil where there is nothing.
  package var farewell: String? {
    let active = alert.isAlertActive ? "The alert is still active." : nil
    guard let unsent else { return active.map { $0 + " The server has it." } }
    let words = isAlertUnsent ? "\(active ?? "") It is saved here, and the server does not have it." : unsent
    let isHeard = auth.isAuthenticated || alert.connection.isSessionExpired
    return words + " Nothing sends it now. \(isHeard ? "Run" : "Sign in, then run"): lifesignal sync --watch"
  }

  /// What is to be said when this program is stopped; nil where there is nothing.
  package var stopWords: String? { unsent.map { $0 + " While this is stopped, nothing here sends it: fg" } }
}
