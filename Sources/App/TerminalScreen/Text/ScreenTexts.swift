/// What dialogues and notices of the screen say, together, so that they can be read in one go.
enum ScreenTexts {
  // MARK: An alert that cannot be saved

  static let notSavedTitle = "NOT SAVED"
  static let sentNotSavedTitle = "HELP WAS CALLED, NOT SAVED HERE"
  static let endNotSavedTitle = "THE END IS NOT SAVED"
  static let endSentNotSavedTitle = "ENDED, NOT SAVED HERE"
  static let cannotSaveTitle = "AN ALERT CANNOT BE SAVED HERE"
  static let callForHelpNow = "Call for help another way now."
  static let callForHelpOtherwise = "If you need help, call for it another way."

  static let notSavedStatus = "The alert is NOT saved."
  static let sentNotSavedStatus = "Help was called. The alert is NOT saved on this device."
  static let unreadableStatus = "Whether an alert is active cannot be read."

  static func cannotSave(_ reason: String) -> String { "An alert cannot be saved on this device: \(reason)" }
}
