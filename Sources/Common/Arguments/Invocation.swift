/// What a command line asks for, after parsing: a command with its options and arguments.
package struct Invocation: Sendable {
  /// From the program's own specification down to the command's.
  package let path: [CommandSpecification]
  // A list and no dictionary: to make the type of a dictionary, the runtime would search the whole program for the
  // conformance of its keys, at each start.
  private var options: [(name: String, value: String)] = []
  package private(set) var arguments: [String] = []

  package init(path: [CommandSpecification]) {
    self.path = path
  }

  /// The commands' names without the program's, joined with blanks: `alert activate`.
  package var commandName: String { path.dropFirst().map(\.name).joined(separator: " ") }

  /// Whether a switch was given.
  package func has(_ option: String) -> Bool { options.contains { $0.name == option } }

  /// The value of an option that may be given once.
  package func value(_ option: String) -> String? { options.first { $0.name == option }?.value }

  /// The values of a repeatable option, in their order.
  package func values(_ option: String) -> [String] { options.filter { $0.name == option }.map(\.value) }

  /// The argument at `index`; never nil for one that the specification requires.
  package func argument(_ index: Int) -> String? { index < arguments.count ? arguments[index] : nil }

  package mutating func add(option name: String, value: String) { options.append((name, value)) }
  package mutating func add(argument: String) { arguments.append(argument) }
}

/// What parsing comes to.
package enum ParsedCommandLine: Sendable {
  case run(Invocation)
  /// `--help` was given: explain the last of the path.
  case help([CommandSpecification])
  case version
}

/// An invalid command line: exit status 64. `path` is as far as it was understood.
package struct UsageError: Error, Sendable {
  package let message: String
  package let path: [CommandSpecification]

  package init(message: String, path: [CommandSpecification]) {
    self.message = message
    self.path = path
  }

  /// The lines after the message: the usage, and where the help is.
  package var advice: String {
    HelpText.usage(path) + "\nTry: \(path.map(\.name).joined(separator: " ")) --help"
  }
}
