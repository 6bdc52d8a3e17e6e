import DeviceCore

/// The program's texts outside the screen: lines of at most 80 columns.
enum ProgramTexts {
  static let summary = "the terminal screen of LifeSignal; usually started as “lifesignal screen”"
  static let closing = "Exit status: 0 done, 64 wrong usage or no terminal, 73 the data cannot be opened."
  static let home = "where this device saves its data (default: $LIFESIGNAL_HOME)"
  static let noColor = "no color (also when NO_COLOR is set)"

  /// Advice for a person who started the screen to raise an alert.
  private static let wayOut = "To raise an alert: \(CommandName.text) alert activate"

  static let needsTerminal = "NO SCREEN: the screen needs a terminal.\n\(wayOut)"
  static func unknownTerminal(_ kind: String) -> String {
    "this terminal cannot show the screen (TERM is “\(kind)”).\n\(wayOut)"
  }
  static func line(_ text: String) -> String { "lifesignal: \(text)\n" }

  /// The line with CR LF, for a terminal that does not move the cursor to the first column at a newline.
  static func rawLine(_ text: String) -> String {
    line(text).split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
  }
}
