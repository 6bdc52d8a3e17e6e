/// Words that no command line tool knows, and that somebody in danger types.
enum EmergencyWords {
  /// `help me` is a call for help, not for an explanation: it becomes `alert activate`, with all that follows. `help` alone explains.
  static func replaced(in arguments: [String]) -> [String] {
    guard let first = arguments.firstIndex(where: { !$0.hasPrefix("-") }), arguments[first].lowercased() == "help",
      first + 1 < arguments.count, arguments[first + 1].lowercased() == "me"
    else { return arguments }
    return Array(arguments[..<first]) + ["alert", "activate"] + arguments[(first + 2)...]
  }
}
