import LifeSignalFeatures

extension ScreenFeature.State {
  /// Whether the server has not confirmed the active alert.
  var isAlertUnsent: Bool { alert.isAlertActive && alert.delivery?.acceptedAt == nil && !isAlertInMemory }

  /// Whether this device could not save the active alert, and sent it from memory.
  var isAlertInMemory: Bool { alert.isAlertActive && alert.delivery?.isSaved == false }

  /// Whether the alert has ended and something waits to be sent that may be its end.
  var isEndUnsent: Bool {
    guard !alert.isAlertActive, alert.alertEndTime != nil, let delivery = alert.delivery else { return false }
    return delivery.safeNotices.isEmpty && alert.connection.pendingCount > 0
  }

  /// What the server does not have; nil if it has everything, as far as this device knows.
  var unsent: String? {
    let count = alert.connection.pendingCount
    if alert.isActivatingAlert { return ScreenTexts.beingSaved }
    if isAlertInMemory { return ScreenTexts.inMemory }
    if isAlertUnsent { return ScreenTexts.alertUnsent }
    if isEndUnsent { return ScreenTexts.endUnsent }
    return count > 0 ? ScreenTexts.waiting(count) : nil
  }

  /// The message for after the screen has closed, if any.
  package var farewell: String? {
    guard let unsent else {
      return alert.isAlertActive ? "\(ScreenTexts.stillActive) \(ScreenTexts.serverHasIt)" : nil
    }
    let words = isAlertUnsent ? ScreenTexts.stillActiveUnsent : unsent
    if isCarriedOn { return "\(words)\n\(ScreenTexts.carriedOn)" }
    let advice = ScreenTexts.nothingSends(because: isHeard ? backgroundFailure : nil, isHeard: isHeard)
    return "\(words)\n\(advice)"
  }

  /// The message for when this program is stopped, if any.
  package var stopWords: String? {
    unsent.map { "\($0)\n\(isCarriedOn ? ScreenTexts.carriedOnWhileStopped : ScreenTexts.whileStopped)" }
  }

  /// Why no process in the background could be started.
  private var backgroundFailure: String? {
    guard mustBeCarriedOn, case .failed(let reason) = background else { return nil }
    return reason
  }
}
