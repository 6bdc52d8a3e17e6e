/// Parses a command line by a table of commands.
///
/// Options may stand anywhere. `--name VALUE` equals `--name=VALUE`, `-n VALUE` equals `-nVALUE`, and `-ab` equals `-a
/// -b`. `--` ends the options. The parser accepts no abbreviations: a misspelled word is an error with a suggestion.
/// `--help` has priority over every error and every action.
package struct ArgumentParser {
  private let root: CommandSpecification
  private let globalOptions: [OptionSpecification]
  private var path: [CommandSpecification]
  private var words: ArraySlice<String>
  private var options: [(name: String, value: String)] = []
  private var arguments: [String] = []
  private var wantsHelp = false
  private var wantsVersion = false

  /// Parses `arguments`, without the program's name.
  package static func parse(
    _ arguments: [String], root: CommandSpecification, globalOptions: [OptionSpecification]
  ) throws(UsageError) -> ParsedCommandLine {
    if arguments.first == "--manual" { return .manual(arguments.dropFirst().first) }
    var parser = Self(root: root, globalOptions: globalOptions, path: [root], words: arguments[...])
    var firstError: UsageError?
    while !parser.words.isEmpty {
      do throws(UsageError) { try parser.readWord() } catch { firstError = firstError ?? error }
    }
    if parser.wantsHelp { return .help(parser.path) }
    if let firstError { throw firstError }
    if parser.wantsVersion { return .version }
    return .run(try parser.invocation())
  }

  private init(
    root: CommandSpecification, globalOptions: [OptionSpecification], path: [CommandSpecification],
    words: ArraySlice<String>
  ) {
    self.root = root
    self.globalOptions = globalOptions
    self.path = path
    self.words = words
  }

  private var command: CommandSpecification { path[path.count - 1] }

  private mutating func readWord() throws(UsageError) {
    let word = words.removeFirst()
    if word == "--" {
      while let rest = words.popFirst() { try readPlain(rest) }
    } else if word.hasPrefix("--") {
      try readLong(word.dropFirst(2))
    } else if word.hasPrefix("-"), word.utf8.count > 1, !looksLikeNumber(word) {
      try readShort(word.dropFirst())
    } else {
      try readPlain(word)
    }
  }

  private mutating func readLong(_ text: Substring) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = knownOptions.first(where: { $0.name == name }) else {
      throw unknown("option", "--" + name, among: knownOptions.map { "--" + $0.name })
    }
    try take(option, inlineValue: parts.count == 2 ? String(parts[1]) : nil)
  }

  private mutating func readShort(_ text: Substring) throws(UsageError) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = knownOptions.first(where: { $0.letter == letter }) else {
        throw unknown("option", "-" + text, among: knownOptions.map { "--" + $0.name })
      }
      let attached = option.value == nil || letters.isEmpty ? nil : String(letters)
      try take(option, inlineValue: attached)
      if attached != nil { return }
    }
  }

  private mutating func take(_ option: OptionSpecification, inlineValue: String?) throws(UsageError) {
    guard let valueName = option.value else {
      if inlineValue != nil { throw usage("option --\(option.name) takes no value") }
      return takeSwitch(option)
    }
    guard let value = inlineValue ?? nextValue() ?? (option.isAccessory ? "" : nil) else {
      throw usage("option --\(option.name) needs a value: --\(option.name) \(valueName)")
    }
    if !option.isRepeatable, !option.isAccessory, options.contains(where: { $0.name == option.name }) {
      throw usage("option --\(option.name) is given twice")
    }
    options.append((option.name, value))
  }

  private mutating func takeSwitch(_ option: OptionSpecification) {
    switch option.name {
    case StandardOption.help.name: wantsHelp = true
    case StandardOption.version.name: wantsVersion = true
    default: options.append((option.name, ""))
    }
  }

  /// Takes the next word as a value. Returns nil if that word is itself an option of this command: the value is
  /// missing.
  private mutating func nextValue() -> String? {
    guard let next = words.first else { return nil }
    if next.hasPrefix("--") {
      let name = next.dropFirst(2).prefix { $0 != "=" }
      if next == "--" || knownOptions.contains(where: { $0.name == name }) { return nil }
    } else if next.hasPrefix("-"), next.count == 2, knownOptions.contains(where: { $0.letter == next.last }) {
      return nil
    }
    return words.removeFirst()
  }

  private mutating func readPlain(_ word: String) throws(UsageError) {
    if let next = command.subcommand(named: word), arguments.isEmpty {
      path.append(next)
    } else if command.subcommands.isEmpty {
      arguments.append(word)
    } else {
      // Errors about the words after an unknown command would only confuse. A call for help still counts.
      wantsHelp = wantsHelp || words.contains("--help") || words.contains("-h")
      words.removeAll()
      throw unknown("command", word, among: command.subcommands.map(\.name))
    }
  }

  private func invocation() throws(UsageError) -> Invocation {
    guard !command.needsSubcommand else { throw usage(path.count == 1 ? "missing command" : missingCommand) }
    let required = command.arguments.count(where: \.isRequired)
    if arguments.count < required { throw usage("missing argument: \(command.arguments[arguments.count].name)") }
    if arguments.count > command.arguments.count, command.arguments.last?.takesRest != true {
      throw usage("unexpected argument: \(arguments[command.arguments.count])")
    }
    if let missing = command.options.first(where: { needed in
      needed.isRequired && !options.contains { $0.name == needed.name }
    }) {
      throw usage("missing option: --\(missing.name) \(missing.value ?? "")")
    }
    if let stray = options.first(where: { given in !knownOptions.contains { $0.name == given.name } }) {
      throw usage("option --\(stray.name) does not belong to “\(command.name)”")
    }
    var invocation = Invocation(path: path)
    for option in options { invocation.add(option: option.name, value: option.value) }
    for argument in arguments { invocation.add(argument: argument) }
    return invocation
  }

  private var missingCommand: String { "missing command after “\(command.name)”" }

  private var knownOptions: [OptionSpecification] { command.options + globalOptions }

  private func looksLikeNumber(_ word: String) -> Bool {
    guard let first = word.utf8.dropFirst().first else { return false }
    // Without a look at the tables of Unicode, which a command that raises an alert would read for this alone.
    if first < 0x80 { return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) }
    return word.dropFirst().first?.isNumber == true
  }

  private func usage(_ message: String) -> UsageError { UsageError(message: message, path: path) }

  private func unknown(_ kind: String, _ word: String, among candidates: [String]) -> UsageError {
    let hint = closest(to: word, among: candidates).map { ". Did you mean \($0)?" } ?? ""
    return usage("unknown \(kind): \(word)\(hint)")
  }
}
