/// What DeviceCore says beside the doctor: parts of sentences, in lower case and without a full stop.
enum DeviceTexts {
  // MARK: Sending from memory

  static let superseded = "another command has already ended or saved this alert"
  static let realAlertActive = "a real alert is active, and no drill is sent beside it"
  static let notInSpool = "the call is no longer waiting"
  static let noActiveAlert = "no alert is active"
  static let otherState = "the server knows this alert in another state"
  static let endedElsewhere = "the alert was ended on another device"
  static let refused = "the server refused it"
  static let unconfirmed = "the server did not confirm it"
  static let noTimeLeft = "there was no time left to try"

  // MARK: What stands in the way

  static func standstill(processID: Int32, milliseconds: Int64?) -> String {
    let duration = milliseconds.map { "for \($0 / 1000) s" } ?? "since this device was started"
    return "the sync process (pid \(processID)) has not moved \(duration)"
  }
  static func roomLeft(_ kibibytes: UInt64) -> String { "the disk has room for only \(kibibytes) KiB" }

  // MARK: The account

  static let noServer = "no server is set"
  static let malformedCode = "a code has 6 digits, as in 123456"
  static let otherNumber = "the server answered for another number: not signed in"
  static func otherAccount(_ phone: String, _ count: Int) -> String {
    "\(phone) is signed in here, with \(count == 1 ? "1 change" : "\(count) changes") not sent yet"
  }
  static func dataStays(_ reason: String) -> String {
    """
    signed out on the server, but your data is still on this device.
    Reason: \(reason)
    Nothing is sent from here until you sign in again.
    """
  }
  static let ownSession = "this is the session of this device: sign out instead"
  static let noSuchSession = "the account has no such session"
  static let notSignedIn = "not signed in"
  static let sessionExpired = "the session has expired: sign in again"
}
