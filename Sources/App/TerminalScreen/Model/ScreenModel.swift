/// Everything that the screen shows: text if the words are decided here, numbers if the view formats them.
package struct ScreenModel: Hashable, Sendable {
  var connection = Connection.unknown
  /// The number of items that wait for the server.
  var pending = 0
  /// The number of items that the server refused.
  var parked = 0
  var button = AlertButton.ready(quarters: 0)
  /// The status in one line.
  var status = StatusLine(text: "", style: .plain)
  /// Whether an alert would reach anybody, while none is active.
  var readiness: StatusLine?
  /// Somebody else who needs help.
  var call: CallLine?
  var ladder: [LadderRow] = []
  var history = HistoryList()
  var panel = Panel.overview
  var dialog: Dialog?
  /// A line that must be seen, for example an error.
  var notice: StatusLine?
  var keys: [KeyHint] = []

  enum Connection: Hashable, Sendable {
    case unknown
    case connected
    /// Signed in, and nothing was exchanged since this time.
    case quiet(since: String)
    /// `since` is a local time; nil if there never was a connection.
    case lost(since: String?, reason: String?)
    case notSignedIn
    /// The session has expired: only alerts are sent.
    case expired
    /// No server is set.
    case notSetUp
  }

  enum Panel: Hashable, Sendable {
    case overview, history
    /// All keys.
    case help
    case phone(PhonePanel)
    case code(CodePanel)
    case update(UpdatePanel)
    case inbox(InboxPanel)
    case receivedAlert(ReceivedAlertPanel)
  }
}

/// The big button.
enum AlertButton: Hashable, Sendable {
  /// After 0 to 4 of four presses.
  case ready(quarters: Int)
  /// The last attempt was not saved, and none was begun since.
  case notSaved
  /// Nothing can be saved on this device.
  case cannotSave
  /// An alert has ended, and Space is still held.
  case mustLetGo
  case saving
  /// `hold` is 0 to 1; nil without a hold.
  case active(hold: Double?)
  case ending

  var isOfActiveAlert: Bool {
    switch self {
    case .active, .ending: true
    case .ready, .notSaved, .cannotSave, .mustLetGo, .saving: false
    }
  }
}

/// A line with its style.
struct StatusLine: Hashable, Sendable {
  var text: String
  /// At the right edge.
  var trailing: String = ""
  var style: CellStyle
}

/// One rung of the delivery ladder.
struct LadderRow: Hashable, Sendable {
  enum Mark: Hashable, Sendable { case reached, waiting, failed, responding }

  var mark: Mark
  var name: String
  var text: String
  /// When it was reached, as a local time.
  var time: String?

  init(_ mark: Mark, _ name: String, _ text: String, time: String? = nil) {
    self.mark = mark
    self.name = name
    self.text = text
    self.time = time
  }
}

/// The alerts so far, newest first.
struct HistoryList: Hashable, Sendable {
  struct Row: Hashable, Sendable {
    var period: String
    var duration: String
    var isActive = false
  }

  /// The visible rows, and some around them.
  var rows: [Row] = []
  /// The number of alerts before and after them.
  var countBefore = 0
  var countBehind = 0
  var isLoading = false
  /// The number of rows scrolled out at the top.
  var offset = 0

  var count: Int { countBefore + rows.count + countBehind }
}

/// The page for the phone number.
struct PhonePanel: Hashable, Sendable {
  var region: String
  var callingCode: String
  /// As typed, formatted.
  var number: String
  var isBusy = false
  /// How long the device works for a code; nil while it does not.
  var workSeconds: Int?
  var canSubmit = false
  /// What was typed to find a region.
  var search = ""
  var problem: String?
}

/// The page for a message to the responders of the active alert.
struct UpdatePanel: Hashable, Sendable {
  var message: String
  var place: String
  /// Whether the place is typed, and not the message.
  var isPlaceChosen = false
  var isBusy = false
  var canSubmit = false
}

/// The page for the code.
struct CodePanel: Hashable, Sendable {
  var phone: String
  /// Up to six digits.
  var code: String
  /// The time until another code can be requested; nil if one can be now.
  var resendInSeconds: Int?
  var isBusy = false
  /// How long the device works for another code; nil while it does not.
  var workSeconds: Int?
  var problem: String?
}

/// A question or a message that waits for an answer.
struct Dialog: Hashable, Sendable {
  struct Button: Hashable, Sendable {
    var title: String
    var isDestructive = false
  }

  var title: String
  var message: String?
  var buttons: [Button]
  var chosen: Int
}
