import Arguments

/// Words that somebody in danger types, in any case.
enum EmergencyWords {
  /// Replaces words by the command that they mean: `help me` and `SOS` raise an alert; `help` alone explains.
  static func replaced(in arguments: [String]) -> [String] {
    guard let first = firstWord(of: arguments) else { return arguments }
    let before = arguments[..<first], after = arguments[(first + 1)...]
    let word = arguments[first].lowercased()
    if word == "help", after.first?.lowercased() == "me" { return before + ["sos"] + after.dropFirst() }
    return ["sos", "activate"].contains(word) ? before + [word] + after : arguments
  }

  /// The index of the first word that is neither an option nor an option's value.
  private static func firstWord(of arguments: [String]) -> Int? {
    var index = 0
    while index < arguments.count, arguments[index].hasPrefix("-") {
      let takesNext = GlobalOption.all.contains { $0.value != nil && "--" + $0.name == arguments[index] }
      index += takesNext ? 2 : 1
    }
    return index < arguments.count ? index : nil
  }
}
