/// A parsed command line: a command with its options and arguments.
package struct Invocation: Sendable {
  /// The specifications from the program's down to the command's.
  package let path: [CommandSpecification]
  // This is no dictionary because at each start, to make a dictionary's type, the runtime would search the whole
  // program for the conformance of its keys.
  private var options: [(name: String, value: String)] = []
  package private(set) var arguments: [String] = []

  package init(path: [CommandSpecification]) {
    self.path = path
  }

  /// The commands' names without the program's, joined with spaces: `alert activate`.
  package var commandName: String { path.dropFirst().map(\.name).joined(separator: " ") }

  /// Whether the command line has this option.
  package func has(_ option: String) -> Bool { options.contains { $0.name == option } }

  /// The value of an option that is not repeatable.
  package func value(_ option: String) -> String? { options.first { $0.name == option }?.value }

  /// The values of a repeatable option, in order.
  package func values(_ option: String) -> [String] { options.filter { $0.name == option }.map(\.value) }

  /// The argument at `index`; never nil for one that the specification requires.
  package func argument(_ index: Int) -> String? { index < arguments.count ? arguments[index] : nil }

  package mutating func add(option name: String, value: String) { options.append((name, value)) }
  package mutating func add(argument: String) { arguments.append(argument) }
}

/// The result of parsing.
package enum ParsedCommandLine: Sendable {
  case run(Invocation)
  /// Shows the help of the last command of the path.
  case help([CommandSpecification])
  case version
  /// Prints manual pages (`ManualPage.answer`): for who packages the program.
  case manual(String?)
}

/// An invalid command line: exit status 64. `path` has the commands that were recognized.
package struct UsageError: Error, Sendable {
  package let message: String
  package let path: [CommandSpecification]

  package init(message: String, path: [CommandSpecification]) {
    self.message = message
    self.path = path
  }

  /// The lines after the message: the usage, and the command that shows the help.
  package var advice: String {
    HelpText.usage(path) + "\nTry: \(path.map(\.name).joined(separator: " ")) --help"
  }
}
