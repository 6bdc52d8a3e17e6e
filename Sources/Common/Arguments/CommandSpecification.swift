/// An option, for the parser, the usage, the help and the completions.
package struct OptionSpecification: Sendable {
  /// The name without dashes, such as `message`.
  package let name: String
  /// The letter of the short form, without the dash.
  package var letter: Character?
  /// The placeholder for the value in the help, such as `TEXT`; nil for a switch.
  package var value: String?
  /// One line for the help, in lower case and without a full stop.
  package let help: String
  package var isRepeatable = false
  package var isRequired = false
  /// Whether the option accompanies a call for help, which a mistake in it must not prevent: a missing value counts as
  /// empty, and the option may be repeated.
  package var isAccessory = false
  package var completion = Completion.none

  package static func flag(_ name: String, letter: Character? = nil, _ help: String) -> Self {
    Self(name: name, letter: letter, help: help)
  }

  package static func value(
    _ name: String, _ value: String, letter: Character? = nil, _ help: String, isRepeatable: Bool = false,
    isRequired: Bool = false, isAccessory: Bool = false, completion: Completion = .none
  ) -> Self {
    Self(
      name: name, letter: letter, value: value, help: help, isRepeatable: isRepeatable, isRequired: isRequired,
      isAccessory: isAccessory, completion: completion)
  }
}

/// The two switches that the parser itself handles.
package enum StandardOption {
  package static let help = OptionSpecification.flag("help", letter: "h", "show this help")
  package static let version = OptionSpecification.flag("version", "show the version")
}

/// A positional argument. Optional arguments come after the required ones.
package struct ArgumentSpecification: Sendable {
  /// The name in the help, such as `PHONE`.
  package let name: String
  package let help: String
  package var isRequired = true
  /// Whether it takes all remaining arguments.
  package var takesRest = false
  package var completion = Completion.none

  package init(
    name: String, help: String, isRequired: Bool = true, takesRest: Bool = false, completion: Completion = .none
  ) {
    self.name = name
    self.help = help
    self.isRequired = isRequired
    self.takesRest = takesRest
    self.completion = completion
  }
}

/// The completions that a shell offers for a value.
package enum Completion: Sendable {
  case none, directories, files
  case words([String])
}

/// A program, a group of commands, or a command that runs. It holds only data: the program decides what each command
/// does.
package struct CommandSpecification: Sendable {
  package let name: String
  /// One line for the list of commands.
  package let summary: String
  /// The help after the summary: lines of at most 80 columns.
  package var details: String
  package var arguments: [ArgumentSpecification]
  package var options: [OptionSpecification]
  package var subcommands: [CommandSpecification]
  /// Whether a command with subcommands also runs without one.
  package var runsAlone: Bool
  /// Complete command lines, with the program's name.
  package var examples: [String]
  /// The end of the help: lines of at most 80 columns.
  package var closing: String

  package init(
    name: String, summary: String, details: String = "", arguments: [ArgumentSpecification] = [],
    options: [OptionSpecification] = [], subcommands: [CommandSpecification] = [], runsAlone: Bool = false,
    examples: [String] = [], closing: String = ""
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.arguments = arguments
    self.options = options
    self.subcommands = subcommands
    self.runsAlone = runsAlone
    self.examples = examples
    self.closing = closing
  }

  package func subcommand(named name: String) -> CommandSpecification? {
    subcommands.first { $0.name == name }
  }

  var needsSubcommand: Bool { !subcommands.isEmpty && !runsAlone }
}
