/// What a command line asks for, after parsing: a command with its options and arguments.
struct Invocation: Sendable {
  /// From the program's own specification down to the command's.
  let path: [CommandSpecification]
  private(set) var options: [String: [String]] = [:]
  private(set) var arguments: [String] = []

  init(path: [CommandSpecification]) {
    self.path = path
  }

  /// Whether a switch was given.
  func has(_ option: String) -> Bool { options[option] != nil }

  /// The value of an option that may be given once.
  func value(_ option: String) -> String? { options[option]?.first }

  /// The values of a repeatable option, in their order.
  func values(_ option: String) -> [String] { options[option] ?? [] }

  /// The argument at `index`; the parser has seen to it that required ones are there.
  func argument(_ index: Int) -> String? { index < arguments.count ? arguments[index] : nil }

  var isJSON: Bool { has(GlobalOption.json) }

  mutating func add(option name: String, value: String) { options[name, default: []].append(value) }
  mutating func add(argument: String) { arguments.append(argument) }
}

/// What parsing comes to.
enum ParsedCommandLine: Sendable {
  case run(Invocation)
  /// `--help` was given: explain the last of the path.
  case help([CommandSpecification])
  case version
}

/// A command line that means nothing: exit status 64. `path` is as far as it was understood.
struct UsageError: Error, Sendable {
  let message: String
  let path: [CommandSpecification]
}
