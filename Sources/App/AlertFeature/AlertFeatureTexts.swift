/// What the feature says, together, so that it can be read in one go. The question is the design document's, word for word.
enum AlertFeatureTexts {
  static let deactivateTitle = "Deactivate Alert"
  static let deactivate = "Deactivate"
  static let cancel = "Cancel"
  static let deactivateQuestion =
    "Are you sure you want to deactivate the alert? This will notify your responders that you are safe."
  static let errorTitle = "Error"
  static let ok = "OK"

  /// - Parameter reason: a sentence, with or without a capital.
  static func notSaved(_ reason: String) -> String {
    "The alert is NOT saved. " + reason.prefix(1).uppercased() + reason.dropFirst()
  }

  /// After an end.
  ///
  /// - Parameter count: how many are active; nil if that cannot be read.
  static func stillActive(_ count: Int?) -> String {
    guard let count else { return "What was shown has ended. It cannot be read whether another alert is active." }
    let others = count == 1 ? "another alert is active, which was" : "\(count) others are active, which were"
    return "What was shown has ended, and \(others) not. Look, and if you are safe, end that too."
  }

  /// A place that is no `LAT,LON`, as a part of the message.
  static func place(_ text: String) -> String { "Location: \(text)" }

  /// For the programmer.
  static func notToldAtOnce(_ reason: String) -> String {
    "responders were not told at once, and will be when the queue is sent: \(reason)"
  }
}
