import DeviceCore

/// What the rungs of the delivery ladder say, together, so that they can be read in one go.
enum LadderTexts {
  static let alsoActive = "also active"
  static let noMessage = "without a message"
  static let raised = "raised"
  static let accepted = "accepted"
  static let ended = "ended"
  static let responders = "responders"

  static let saved = "saved here"
  static let inMemory = "NOT saved here: in memory only"
  static let endUnsent = "saved here, not confirmed by the server yet"
  static let unknown = "not known here"
  static let notYet = "not yet"
  static let nobodySignedIn = "not yet: nobody is signed in"
  static let byServer = "by the server"
  static let notTold = "not told yet"
  static let waitingForServer = "waiting for the server"
  static let noResponders =
    "NONE: nobody is told. \(CommandName.text) contacts add PHONE --responder --channel URL"
  static let safeNow = "“safe now” "

  static func late(_ time: String) -> String { ", late: raised \(time)" }

  static let seen = "seen"
  /// With what they said, such as that they are on the way.
  static func responding(_ words: String?) -> String { "IS RESPONDING" + (words.map { " (\($0))" } ?? "") }

  static func queued(_ channel: String, _ reason: String) -> String { "waiting to be sent by \(channel)\(reason)" }
  static func sent(_ channel: String) -> String { "sent by \(channel)" }
  static func failed(_ channel: String, _ reason: String) -> String { "FAILED by \(channel)\(reason)" }
  static func noWay(_ name: String) -> String { "NOT TOLD: no way to reach \(name)." }
}
