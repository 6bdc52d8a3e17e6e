/// Somebody else who needs help, in one line.
struct CallLine: Hashable, Sendable {
  var name: String
  var words: String
  /// Left out where it is narrow.
  var detail: String
  var style: CellStyle

  var text: String { name + words + detail }
}

/// The alerts of others.
struct InboxPanel: Hashable, Sendable {
  struct Row: Hashable, Sendable {
    var name: String
    var words: String
    var answer: String
    var style: CellStyle
  }

  var rows: [Row]
  /// The place of the chosen one.
  var chosen: Int
  /// Shown where there are none.
  var emptyText: String
}

/// An open alert of somebody else.
struct ReceivedAlertPanel: Hashable, Sendable {
  /// What is known of it, the most important first.
  var lines: [StatusLine]
  /// The number of rows scrolled out at the top.
  var offset = 0
  /// The keys that answer, or what happens instead; empty if it has ended.
  var answers: String
  /// The line beside the answer.
  var line: String
  var isWriting = false
  var isBusy = false
}
