/// One option, as the parser, the usage, the help and the completions know it.
struct OptionSpecification: Sendable {
  /// Without the dashes, as in `message`.
  let name: String
  /// A second form of one letter, without the dash.
  var letter: Character?
  /// What stands for its value in the help, as in `TEXT`; nil for a switch.
  var value: String?
  /// One line for the help, in lower case and without a full stop.
  let help: String
  var isRepeatable = false
  var isRequired = false
  /// It comes with a call for help, which it never keeps back: a missing value is empty, and a second one is one more.
  var isAccessory = false
  var completion = Completion.none

  static func flag(_ name: String, letter: Character? = nil, _ help: String) -> Self {
    Self(name: name, letter: letter, help: help)
  }

  static func value(
    _ name: String, letter: Character? = nil, _ value: String, _ help: String, isRepeatable: Bool = false,
    isRequired: Bool = false,
    isAccessory: Bool = false, completion: Completion = .none
  ) -> Self {
    Self(
      name: name, letter: letter, value: value, help: help, isRepeatable: isRepeatable, isRequired: isRequired,
      isAccessory: isAccessory, completion: completion)
  }
}

/// One argument that is not an option. An optional one comes after those that are required.
struct ArgumentSpecification: Sendable {
  /// As the help writes it: `PHONE`.
  let name: String
  let help: String
  var isRequired = true
  /// Takes all the arguments that are left.
  var takesRest = false
  var completion = Completion.none
}

/// What a shell offers for a value.
enum Completion: Sendable {
  case none, directories, files
  case words([String])
}

/// A command: a leaf that runs, or a group of commands.
struct CommandSpecification: Sendable {
  typealias Action = @Sendable (Context) throws(Failure) -> ExitStatus

  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What the help of this command says beyond the summary: lines of at most 78 columns.
  var details = ""
  /// Command lines to start from, without the program's name.
  var examples: [String] = []
  var arguments: [ArgumentSpecification] = []
  var options: [OptionSpecification] = []
  var subcommands: [CommandSpecification] = []
  /// Nil for a group.
  var action: Action?
  /// Its exit status speaks of what is on the disk, whether or not anybody could be told.
  var isDurableBeforeOutput = false

  /// It raises an alert: whatever is wrong with how it was called, the first thing to say is that none was raised.
  var raisesAlert: Bool { !options.filter { $0.name == "drill" }.isEmpty }

  func subcommand(named name: String) -> CommandSpecification? {
    subcommands.first { $0.name == name }
  }
}
